import { addressOf } from "../attention/address.ts"
import type { ChatMessage, SendResult } from "../channels/channel.ts"
import { addHistory } from "./messages/history.ts"
import { addRecent } from "./messages/recent.ts"
import { cancelRun, finishRun, runData } from "./run.ts"
import type { Line, RunState } from "./state.ts"
import { change, changeRun, finishOwnPost, isAnswer, journal, type Step } from "./step.ts"

const sendTimeoutMs = 60_000
/** Time limit for fetching history to find out whether a message was sent. */
const checkTimeoutMs = 30_000
/** A rate limit longer than this is treated as a refusal. */
const longestRetryMs = 60_000

/** Handles the result of a send. `wasHeldBack`: our own gate refused it, not the platform. */
export function sendEnded(step: Step, id: string, result: SendResult, wasHeldBack: boolean) {
  const { run } = step.state
  if (run?.id !== id || run.phase !== "sending" || run.outgoing === null) return
  // The gate waited for a message that turned out not to address us.
  if (wasHeldBack && result.outcome === "refused" && run.epoch === step.state.epoch)
    return sendOutgoing(step, run)
  switch (result.outcome) {
    case "sent":
      return sendSucceeded(step, run, result.ids)
    case "refused":
      return sendRefused(step, run, result)
    case "unknown":
      return checkIfSent(step, run, result.reason)
  }
}

function sendSucceeded(step: Step, run: RunState, ids: readonly string[]) {
  const { outgoing } = run
  if (outgoing === null) return
  const more = {
    ...(outgoing.isRegret ? { isRegret: true } : {}),
    ...(outgoing.attachment === undefined ? {} : { hasMedia: true }),
  }
  const data = { ...runData(run), to: outgoing.to, posts: ids, key: outgoing.key, ...more }
  journal(step, outgoing.action === "react" ? "chat.reacted" : "chat.replied", outgoing.reason, data)
  finishRun(step, run)
  finishOwnPost(step, run, { outcome: "posted", posts: ids })
  if (outgoing.action === "react") return
  const line = ownLine(step, run, outgoing.text, ids[0] ?? `own-${run.id}`)
  addHistory(step, [line], step.state.runs)
  addRecent(step, line)
  change(step, { held: null })
  const authors = new Set(run.messages.filter(({ author }) => !author.isBot).map(({ author }) => author.id))
  const mayFollowUp = isAnswer(run.kind) && !step.state.isMuted && !step.state.hasLeft && !outgoing.isRegret
  if (mayFollowUp)
    change(step, { mode: "active", active: { authors: [...authors], since: step.at, others: 0 } })
}

function ownLine(step: Step, run: RunState, text: string, id: string): Line {
  const author = { id: "us", name: step.settings.names[0] ?? "Reverie", isBot: true }
  const replyTo = run.outgoing?.to ? { id: run.outgoing.to, isOurs: false } : null
  return { id, author, text, at: step.at, replyTo, isOurs: true, isVoice: false, reactions: [] }
}

function sendRefused(step: Step, run: RunState, result: Extract<SendResult, { outcome: "refused" }>) {
  const { retryAfterMs } = result
  if (run.epoch !== step.state.epoch) return cancelRun(step, run, "It was not sent: something newer came in.")
  const { outgoing } = run
  const mayWait = isAnswer(run.kind) && outgoing !== null && !outgoing.hasWaited
  if (mayWait && retryAfterMs !== undefined && retryAfterMs <= longestRetryMs) {
    const deadline = step.at + Math.max(1, retryAfterMs)
    return changeRun(step, { phase: "resending", outgoing: { ...outgoing, hasWaited: true }, deadline })
  }
  journal(step, "chat.refused", result.reason, { ...runData(run), key: run.outgoing?.key })
  finishRun(step, run)
  const outcome = retryAfterMs === undefined ? "refused" : "kept back"
  finishOwnPost(step, run, { outcome, reason: result.reason })
}

/** Hands a message to the outbound gate, which sends it only in its epoch. */
export function sendOutgoing(step: Step, run: RunState) {
  const { outgoing, id, epoch } = run
  if (outgoing === null) return
  changeRun(step, { phase: "sending", outgoing, deadline: step.at + sendTimeoutMs })
  const { key, text, to, attachment } = outgoing
  if (outgoing.action === "react" && to !== null) {
    step.effects.push({ kind: "react", run: id, epoch, message: to, emoji: text })
  } else {
    const attached = attachment === undefined ? {} : { attachment }
    step.effects.push({ kind: "send", run: id, epoch, key, text, replyTo: to, ...attached })
  }
}

/** Checks the room's history for a message that may have been sent. */
export function checkIfSent(step: Step, run: RunState, reason: string) {
  if (run.outgoing?.action !== "reply") return unconfirmed(step, run, reason)
  changeRun(step, { phase: "checking", outgoing: run.outgoing, deadline: step.at + checkTimeoutMs })
  journal(step, "chat.recovered", `${reason} The room's history is checked for it.`, runData(run))
  step.effects.push({ kind: "fetch-history", run: run.id })
}

/** Handles the history that `checkIfSent` asked for; null if it is not available. */
export function historyChecked(step: Step, id: string, found: readonly ChatMessage[] | null) {
  const { run } = step.state
  if (run?.id !== id || run.phase !== "checking" || run.outgoing === null) return
  const post = found?.find((message) => isOurPost(message, run))
  if (post) return sendSucceeded(step, run, [post.id])
  if (found && run.outgoing.mayRepeat && isAnswer(run.kind) && neverArrived(found, run))
    return resend(step, run, found)
  const reason = found ? "It was not found in the room." : "The room's history is not available."
  unconfirmed(step, run, `${reason} It is not sent again.`)
}

/**
 * Whether the history reaches back to the messages of the run and has no message of ours with the same text. Times are
 * not compared: a clock that was set makes a post look older than it is.
 */
function neverArrived(found: readonly ChatMessage[], run: RunState): boolean {
  const reachesBack = found.some(({ id }) => run.messages.some((one) => one.id === id))
  return reachesBack && !found.some((message) => hasSameText(message, run))
}

/**
 * Whether the history shows that we were addressed again. The epoch alone does not show it: the old process may have
 * died before it stored that message, or the message was too old to be answered when it was fetched.
 */
function isAddressedSince({ settings }: Step, found: readonly ChatMessage[], run: RunState): boolean {
  const own = new Set(run.messages.map(({ id }) => id))
  return found
    .slice(found.findIndex(({ id }) => own.has(id)))
    .some(
      (message) =>
        !own.has(message.id) &&
        !settings.policy.isBlocked(message.author) &&
        addressOf(message, settings.names) !== null,
    )
}

/** Sends a message again under its old key, after its process died and the room does not have it. */
function resend(step: Step, run: RunState, found: readonly ChatMessage[]) {
  if (run.epoch !== step.state.epoch || run.outgoing === null || isAddressedSince(step, found, run)) {
    return cancelRun(step, run, "It was never delivered, and something newer came in.")
  }
  journal(step, "chat.recovered", "It was not found in the room and is sent now.", runData(run))
  sendOutgoing(step, { ...run, outgoing: { ...run.outgoing, mayRepeat: false } })
}

function unconfirmed(step: Step, run: RunState, reason: string) {
  journal(step, "chat.unconfirmed", reason, { ...runData(run), key: run.outgoing?.key })
  finishRun(step, run)
  finishOwnPost(step, run, { outcome: "unknown", reason })
}

/** Whether a message is ours, newer than the run, and has its text or the first part of it. */
function isOurPost(message: ChatMessage, run: RunState): boolean {
  return message.at >= run.startedAt - 60_000 && hasSameText(message, run)
}

function hasSameText(message: ChatMessage, run: RunState): boolean {
  const plain = (text: string) => text.replaceAll(/[\s\u2060]+/g, " ").trim()
  // Platforms show a file of ours as a line of its own.
  const said = plain(message.text.replaceAll(/\n?\[attachment: [^\n]*\]$/gm, ""))
  return message.isOurs && said !== "" && plain(run.outgoing?.text ?? "").startsWith(said)
}
