import { addressOf } from "../attention/address.ts"
import type { ChatMessage, Sent } from "../channels/channel.ts"
import { addHistory } from "./messages/history.ts"
import { addRecent } from "./messages/recent.ts"
import { endOwn } from "./own.ts"
import { finishRun, takeBack, told } from "./run.ts"
import type { Line, RunState } from "./state.ts"
import { change, changeRun, isAnswer, type Step, tell } from "./step.ts"

/** How long a platform may take to send. */
const sendTimeoutMs = 60_000
/** How long history is waited for when something may have been sent. */
const checkTimeoutMs = 30_000
/** The longest time a platform may ask us to wait before something is sent again. */
const longestRetryMs = 60_000

/** Something was sent, or not, or nobody knows. `wasHeldBack`: our own gate kept it. */
export function sendEnded(step: Step, id: string, result: Sent, wasHeldBack: boolean) {
  const { run } = step.state
  if (run?.id !== id || run.phase !== "sending" || run.outgoing === null) return
  // The gate was careful about a message that turned out to be none to us.
  if (wasHeldBack && result.outcome === "refused" && run.epoch === step.state.epoch) return letOut(step, run)
  switch (result.outcome) {
    case "sent":
      return left(step, run, result.ids)
    case "refused":
      return refused(step, run, result)
    case "unknown":
      return lookForIt(step, run, result.reason)
  }
}

function left(step: Step, run: RunState, ids: readonly string[]) {
  const { outgoing } = run
  if (outgoing === null) return
  const more = {
    ...(outgoing.isRegret ? { isRegret: true } : {}),
    ...(outgoing.attachment === undefined ? {} : { hasMedia: true }),
  }
  const data = { ...told(run), to: outgoing.to, posts: ids, key: outgoing.key, ...more }
  tell(step, outgoing.action === "react" ? "chat.reacted" : "chat.replied", outgoing.reason, data)
  finishRun(step, run)
  endOwn(step, run, { outcome: "posted", posts: ids })
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

function refused(step: Step, run: RunState, result: Extract<Sent, { outcome: "refused" }>) {
  const { retryAfterMs } = result
  if (run.epoch !== step.state.epoch) return takeBack(step, run, "It was kept back: something newer came.")
  const { outgoing } = run
  const mayWait = isAnswer(run.kind) && outgoing !== null && !outgoing.hasWaited
  if (mayWait && retryAfterMs !== undefined && retryAfterMs <= longestRetryMs) {
    const deadline = step.at + Math.max(1, retryAfterMs)
    return changeRun(step, { phase: "resending", outgoing: { ...outgoing, hasWaited: true }, deadline })
  }
  tell(step, "chat.refused", result.reason, { ...told(run), key: run.outgoing?.key })
  finishRun(step, run)
  const outcome = retryAfterMs === undefined ? "refused" : "kept back"
  endOwn(step, run, { outcome, reason: result.reason })
}

/** Hands what is to be said to the outbound gate, which lets it out only in its epoch. */
export function letOut(step: Step, run: RunState) {
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

/** It may have been sent: it is looked for first. */
export function lookForIt(step: Step, run: RunState, reason: string) {
  if (run.outgoing?.action !== "reply") return unconfirmed(step, run, reason)
  changeRun(step, { phase: "checking", outgoing: run.outgoing, deadline: step.at + checkTimeoutMs })
  tell(step, "chat.recovered", `${reason} It is looked for in the room.`, told(run))
  step.effects.push({ kind: "fetch-history", run: run.id })
}

/** History is there, or cannot be had. */
export function checkEnded(step: Step, id: string, found: readonly ChatMessage[] | null) {
  const { run } = step.state
  if (run?.id !== id || run.phase !== "checking" || run.outgoing === null) return
  const post = found?.find((message) => isThePost(message, run))
  if (post) return left(step, run, [post.id])
  if (found && run.outgoing.mayRepeat && isAnswer(run.kind) && neverArrived(found, run))
    return repeat(step, run, found)
  const reason = found ? "It was not found in the room." : "The room's history cannot be had."
  unconfirmed(step, run, `${reason} It is not said again.`)
}

/**
 * Whether what was said since the run began is all there, as the message it answers then is, and nothing of ours has the
 * same words: a clock that was set makes a post look older than it is.
 */
function neverArrived(found: readonly ChatMessage[], run: RunState): boolean {
  const reachesBack = found.some(({ id }) => run.messages.some((one) => one.id === id))
  return reachesBack && !found.some((message) => hasItsWords(message, run))
}

/**
 * Whether the room shows that we were addressed again since. The epoch need not tell: the old process may have died
 * before it stored that message, or it was too old to be answered when it was fetched.
 */
function isOvertaken({ settings }: Step, found: readonly ChatMessage[], run: RunState): boolean {
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

/** The process that was to send it is gone, and it is not in the room: it is said once more, under its old key. */
function repeat(step: Step, run: RunState, found: readonly ChatMessage[]) {
  if (run.epoch !== step.state.epoch || run.outgoing === null || isOvertaken(step, found, run)) {
    return takeBack(step, run, "It never arrived, and something newer came.")
  }
  tell(step, "chat.recovered", "It was not found in the room, and is said now.", told(run))
  letOut(step, { ...run, outgoing: { ...run.outgoing, mayRepeat: false } })
}

function unconfirmed(step: Step, run: RunState, reason: string) {
  tell(step, "chat.unconfirmed", reason, { ...told(run), key: run.outgoing?.key })
  finishRun(step, run)
  endOwn(step, run, { outcome: "unknown", reason })
}

/** Ours, since the run began, and with the words we sent or the first part of them. */
function isThePost(message: ChatMessage, run: RunState): boolean {
  return message.at >= run.startedAt - 60_000 && hasItsWords(message, run)
}

function hasItsWords(message: ChatMessage, run: RunState): boolean {
  const plain = (text: string) => text.replaceAll(/[\s\u2060]+/g, " ").trim()
  // A file that we sent along is a line of its own in what the platform tells.
  const said = plain(message.text.replaceAll(/\n?\[attachment: [^\n]*\]$/gm, ""))
  return message.isOurs && said !== "" && plain(run.outgoing?.text ?? "").startsWith(said)
}
