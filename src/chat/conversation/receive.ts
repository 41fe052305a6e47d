import { addressOf } from "../attention/address.ts"
import { commandIn } from "../attention/command.ts"
import type { ChatMessage } from "../channels/channel.ts"
import { obey } from "./command.ts"
import { bufferLine, keepToCap } from "./messages/buffer.ts"
import { addHistory } from "./messages/history.ts"
import { addRecent } from "./messages/recent.ts"
import { noteSeen } from "./messages/seen.ts"
import { giveWay } from "./run.ts"
import { lineOf } from "./state.ts"
import { change, putAside, type Step, tell } from "./step.ts"

/** Takes in one message: it is answered, kept for a batch, or put aside with a reason. Starts nothing by itself. */
export function receive(step: Step, message: ChatMessage) {
  const { state, settings } = step
  if (!noteSeen(step, message.id)) return
  if (message.isOurs || !settings.policy.isBlocked(message.author)) addRecent(step, lineOf(message))
  if (message.isOurs) addHistory(step, [lineOf(message)], state.runs)
  else if (settings.policy.isBlocked(message.author)) aside(step, message, "The policy blocks its author.")
  else if (message.author.isBot) receiveFromBot(step, message)
  else receiveFromPerson(step, message)
}

function aside(step: Step, { id }: ChatMessage, reason: string) {
  putAside(step, [id], reason)
}

/** Other bots are read along; they never address us, never count for fading, and never bring a batch about. */
function receiveFromBot(step: Step, message: ChatMessage) {
  const { allowBotMessages, policy } = step.settings
  if (!policy.listens.is) aside(step, message, `It is not addressed to us. ${policy.listens.why}`)
  else if (!allowBotMessages) aside(step, message, "chat.ambient.allow_bot_messages is off.")
  else if (isSilenced(step)) aside(step, message, silencedReason(step))
  else bufferLine(step, lineOf(message))
}

function receiveFromPerson(step: Step, message: ChatMessage) {
  const { names, policy } = step.settings
  const address = addressOf(message, names)
  const answers = address === "private" ? policy.answersPrivately : policy.answers
  if (address !== null && !answers.is) return aside(step, message, answers.why)
  const command = address === null ? null : commandIn(message.text, names)
  if (command !== null && obey(step, command, message)) return
  if (step.state.isMuted) return aside(step, message, silencedReason(step))
  if (address !== null) return beAddressed(step, message, address)
  if (step.state.hasLeft) return aside(step, message, silencedReason(step))
  if (isFollowUp(step, message)) return expectAnswer(step, message, "follow-up")
  overhear(step, message)
}

function isSilenced({ state }: Step): boolean {
  return state.isMuted || state.hasLeft
}

function silencedReason({ state }: Step): string {
  return state.isMuted ? "It is muted here." : "It was told to leave this thread."
}

function beAddressed(step: Step, message: ChatMessage, address: string) {
  if (step.state.hasLeft) {
    change(step, { hasLeft: false })
    tell(step, "chat.returned", "Somebody addressed it.", { messages: [message.id] })
  }
  if (step.state.mode !== "active") {
    change(step, { mode: "active" })
    tell(step, "chat.promoted", promotions[address] ?? "", { messages: [message.id] })
  }
  const active = step.state.active ?? { authors: [], since: step.at, others: 0 }
  change(step, { active: { ...active, since: Math.max(active.since, step.at), others: 0 } })
  expectAnswer(step, message, "direct")
}

const promotions: Record<string, string> = {
  private: "It was said to it alone.",
  mention: "It was mentioned.",
  reply: "Somebody replied to it.",
  name: "It was called by its name.",
}

/** An answer is due; what is less pressing gives way. */
function expectAnswer(step: Step, message: ChatMessage, kind: "direct" | "follow-up") {
  giveWay(step, kind)
  change(step, { waiting: [...step.state.waiting, { line: lineOf(message), kind }] })
  keepToCap(step)
}

/** The person we talk with goes on, and not to somebody else. */
function isFollowUp({ state, settings }: Step, message: ChatMessage): boolean {
  if (state.mode !== "active" || state.active === null) return false
  if (message.replyTo !== null && !message.replyTo.isOurs) return false
  return settings.activeMessages > 0 && state.active.authors.includes(message.author.id)
}

function overhear(step: Step, message: ChatMessage) {
  const { state, settings } = step
  if (state.active) change(step, { active: { ...state.active, others: state.active.others + 1 } })
  if (settings.policy.listens.is && !message.isPrivate) return bufferLine(step, lineOf(message))
  if (state.mode === "active") addHistory(step, [lineOf(message)], state.runs)
  aside(step, message, `It is not addressed to us. ${settings.policy.listens.why}`)
}
