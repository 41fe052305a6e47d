import { addressOf } from "../attention/address.ts"
import { commandIn } from "../attention/command.ts"
import type { ChatMessage } from "../channels/channel.ts"
import { handleCommand } from "./command.ts"
import { bufferLine, enforceCap } from "./messages/buffer.ts"
import { addHistory } from "./messages/history.ts"
import { addRecent } from "./messages/recent.ts"
import { markSeen } from "./messages/seen.ts"
import { preemptRun } from "./run.ts"
import { lineOf } from "./state.ts"
import { change, journal, type Step, skipMessages } from "./step.ts"

/** Receives one message: it is queued for an answer, buffered for a batch, or skipped with a reason. Starts no run. */
export function receive(step: Step, message: ChatMessage) {
  const { state, settings } = step
  if (!markSeen(step, message.id)) return
  if (message.isOurs || !settings.policy.isBlocked(message.author)) addRecent(step, lineOf(message))
  if (message.isOurs) addHistory(step, [lineOf(message)], state.runs)
  else if (settings.policy.isBlocked(message.author)) skip(step, message, "The policy blocks its author.")
  else if (message.author.isBot) receiveFromBot(step, message)
  else receiveFromPerson(step, message)
}

function skip(step: Step, { id }: ChatMessage, reason: string) {
  skipMessages(step, [id], reason)
}

/** Messages of other bots are only context: they never address us, end active mode or schedule a batch. */
function receiveFromBot(step: Step, message: ChatMessage) {
  const { allowBotMessages, policy } = step.settings
  if (!policy.listens.allowed) skip(step, message, `It is not addressed to us. ${policy.listens.reason}`)
  else if (!allowBotMessages) skip(step, message, "chat.ambient.allow_bot_messages is off.")
  else if (isSilenced(step)) skip(step, message, silenceReason(step))
  else bufferLine(step, lineOf(message))
}

function receiveFromPerson(step: Step, message: ChatMessage) {
  const { names, policy } = step.settings
  const address = addressOf(message, names)
  const answers = address === "private" ? policy.answersPrivately : policy.answers
  if (address !== null && !answers.allowed) return skip(step, message, answers.reason)
  const command = address === null ? null : commandIn(message.text, names)
  if (command !== null && handleCommand(step, command, message)) return
  if (step.state.isMuted) return skip(step, message, silenceReason(step))
  if (address !== null) return receiveAddressed(step, message, address)
  if (step.state.hasLeft) return skip(step, message, silenceReason(step))
  if (isFollowUp(step, message)) return queueForAnswer(step, message, "follow-up")
  receiveUnaddressed(step, message)
}

function isSilenced({ state }: Step): boolean {
  return state.isMuted || state.hasLeft
}

function silenceReason({ state }: Step): string {
  return state.isMuted ? "It is muted here." : "It was told to leave this thread."
}

function receiveAddressed(step: Step, message: ChatMessage, address: string) {
  if (step.state.hasLeft) {
    change(step, { hasLeft: false })
    journal(step, "chat.returned", "Somebody addressed it.", { messages: [message.id] })
  }
  if (step.state.mode !== "active") {
    change(step, { mode: "active" })
    journal(step, "chat.promoted", promotions[address] ?? "", { messages: [message.id] })
  }
  const active = step.state.active ?? { authors: [], since: step.at, others: 0 }
  change(step, { active: { ...active, since: Math.max(active.since, step.at), others: 0 } })
  queueForAnswer(step, message, "direct")
}

const promotions: Record<string, string> = {
  private: "It got a private message.",
  mention: "It was mentioned.",
  reply: "Somebody replied to it.",
  name: "It was called by its name.",
}

/** Queues a message for an answer and preempts a run with a lower priority. */
function queueForAnswer(step: Step, message: ChatMessage, kind: "direct" | "follow-up") {
  preemptRun(step, kind)
  change(step, { waiting: [...step.state.waiting, { line: lineOf(message), kind }] })
  enforceCap(step)
}

/** Whether a user we are talking with continues, and does not reply to somebody else. */
function isFollowUp({ state, settings }: Step, message: ChatMessage): boolean {
  if (state.mode !== "active" || state.active === null) return false
  if (message.replyTo !== null && !message.replyTo.isOurs) return false
  return settings.activeMessages > 0 && state.active.authors.includes(message.author.id)
}

function receiveUnaddressed(step: Step, message: ChatMessage) {
  const { state, settings } = step
  if (state.active) change(step, { active: { ...state.active, others: state.active.others + 1 } })
  if (settings.policy.listens.allowed && !message.isPrivate) return bufferLine(step, lineOf(message))
  if (state.mode === "active") addHistory(step, [lineOf(message)], state.runs)
  skip(step, message, `It is not addressed to us. ${settings.policy.listens.reason}`)
}
