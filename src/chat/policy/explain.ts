import type { Config } from "../../config/schema.ts"
import { addressOf } from "../attention/address.ts"
import { commandIn } from "../attention/command.ts"
import type { ChatMessage, RoomRef } from "../channels/channel.ts"
import { openPolicy, type RoomPolicy } from "./room-policy.ts"

/** What would be done in a room, and with a message there, in plain sentences; the last ones are about the message. */
export function explainPolicy(chat: Config["chat"], room: RoomRef, message?: ChatMessage): string[] {
  const policy = openPolicy(chat)(room)
  return [...aboutRoom(policy, room, chat), ...(message ? aboutMessage(policy, chat, message) : [])]
}

function aboutRoom(policy: RoomPolicy, room: RoomRef, chat: Config["chat"]): string[] {
  const thread = room.thread === null ? [] : ["This is a thread; it has the policy of its channel."]
  const does = ({ is, why }: { is: boolean; why: string }, what: string) =>
    is ? `It ${what}: ${why}` : `It does not ${what.replace(/s\b/, "")}: ${why}`
  return [
    ...thread,
    does(policy.answers, "answers who addresses it"),
    does(policy.listens, "listens to everything else"),
    ...(policy.listens.is ? [does(policy.speaksUnasked, "speaks unasked")] : []),
    does(policy.begins, "begins subjects of its own"),
    ...(policy.attaches.is ? [] : [does(policy.attaches, "posts pictures, videos and GIFs")]),
    does(policy.learns, "remembers what people state about themselves"),
    `For this community a model is asked at most ${chat.policy.calls_per_day} times and for at most ${chat.policy.usd_per_day} US ${chat.policy.usd_per_day === 1 ? "dollar" : "dollars"} a day.`,
  ]
}

function aboutMessage(policy: RoomPolicy, chat: Config["chat"], message: ChatMessage): string[] {
  if (message.isOurs) return ["It said this itself: it is kept as context and never answered."]
  if (policy.isBlocked(message.author)) {
    return [
      "This message would be thrown away: chat.policy.blocked_users names its author. No model and no memory would see it.",
    ]
  }
  if (message.author.isBot) return [aboutBot(policy, chat)]
  const names = namesOf(chat)
  const address = addressOf(message, names)
  if (address === null) return [aboutOverheard(policy, chat)]
  const command = commandIn(message.text, names)
  if (command !== null) {
    return policy.mayCommand(message.author)
      ? [`This message would be taken as the command ${command}.`]
      : [`This message would not be obeyed: chat.policy.command_users does not name its author.`]
  }
  const verdict = address === "private" ? policy.answersPrivately : policy.answers
  if (!verdict.is) return [`This message is addressed to it, but would be ignored: ${verdict.why}`]
  return [`This message would be answered at once: ${addressed[address]}`]
}

const addressed = {
  private: "it is said to it alone.",
  mention: "it mentions it.",
  reply: "it replies to it.",
  name: "it begins or ends with its name.",
}

function aboutBot(policy: RoomPolicy, chat: Config["chat"]): string {
  if (!policy.listens.is) return `This message of another bot would be ignored: ${policy.listens.why}`
  if (!chat.ambient.allow_bot_messages) {
    return "This message of another bot would be ignored: chat.ambient.allow_bot_messages is off."
  }
  return "This message of another bot would be read along with what people say, and never be answered by itself."
}

function aboutOverheard(policy: RoomPolicy, chat: Config["chat"]): string {
  const followUp = `If its author was answered less than ${chat.attention.active_minutes} min ago, it would be answered as a follow-up.`
  if (!policy.listens.is) {
    return `This message would be ignored: it is not addressed to it, and it does not listen here. ${policy.listens.why} ${followUp}`
  }
  const { flush_interval_seconds: seconds, flush_max_messages: most } = chat.ambient
  return `This message would wait for a batch: it is looked at after about ${seconds} s, or with ${most} messages. ${followUp}`
}

/** What we are called. */
export function namesOf(chat: Config["chat"]): string[] {
  return [chat.name, ...chat.nicknames]
}
