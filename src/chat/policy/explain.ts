import type { Config } from "../../config/schema.ts"
import { addressOf } from "../attention/address.ts"
import { commandIn } from "../attention/command.ts"
import type { ChatMessage, RoomRef } from "../channels/channel.ts"
import { openPolicy, type PolicyVerdict, type RoomPolicy } from "./room-policy.ts"

/** Explains what the policy allows in a room, and what would happen to a message there. */
export function explainPolicy(chat: Config["chat"], room: RoomRef, message?: ChatMessage): string[] {
  const policy = openPolicy(chat)(room)
  return [...aboutRoom(policy, room, chat), ...(message ? aboutMessage(policy, chat, message) : [])]
}

function aboutRoom(policy: RoomPolicy, room: RoomRef, chat: Config["chat"]): string[] {
  const thread = room.thread === null ? [] : ["This is a thread; it has the policy of its channel."]
  const does = ({ allowed, reason }: PolicyVerdict, what: string) =>
    allowed ? `It ${what}: ${reason}` : `It does not ${what.replace(/s\b/, "")}: ${reason}`
  return [
    ...thread,
    does(policy.answers, "answers people who address it"),
    does(policy.listens, "listens to everything else"),
    ...(policy.listens.allowed ? [does(policy.speaksUnasked, "speaks unasked")] : []),
    does(policy.startsTopics, "starts topics of its own"),
    ...(policy.postsMedia.allowed ? [] : [does(policy.postsMedia, "posts pictures, videos and GIFs")]),
    does(policy.learns, "remembers what people state about themselves"),
    `For this community a model is asked at most ${chat.policy.calls_per_day} times and for at most ${chat.policy.usd_per_day} US ${chat.policy.usd_per_day === 1 ? "dollar" : "dollars"} a day.`,
  ]
}

function aboutMessage(policy: RoomPolicy, chat: Config["chat"], message: ChatMessage): string[] {
  if (message.isOurs) return ["It said this itself: it is kept as context and never answered."]
  if (policy.isBlocked(message.author)) {
    return [
      "This message would be ignored: chat.policy.blocked_users names its author. No model and no memory would see it.",
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
      : [`This command would be refused: chat.policy.command_users does not name its author.`]
  }
  const verdict = address === "private" ? policy.answersPrivately : policy.answers
  if (!verdict.allowed) return [`This message is addressed to it, but would be ignored: ${verdict.reason}`]
  return [`This message would be answered at once: ${addressed[address]}`]
}

const addressed = {
  private: "it is a private message.",
  mention: "it mentions it.",
  reply: "it replies to it.",
  name: "it begins or ends with its name.",
}

function aboutBot(policy: RoomPolicy, chat: Config["chat"]): string {
  if (!policy.listens.allowed) return `This message of another bot would be ignored: ${policy.listens.reason}`
  if (!chat.ambient.allow_bot_messages) {
    return "This message of another bot would be ignored: chat.ambient.allow_bot_messages is off."
  }
  return "This message of another bot would be read along with what people say, and never be answered by itself."
}

function aboutOverheard(policy: RoomPolicy, chat: Config["chat"]): string {
  const followUp = `If its author was answered less than ${chat.attention.active_minutes} min ago, it would be answered as a follow-up.`
  if (!policy.listens.allowed) {
    return `This message would be ignored: it is not addressed to it, and it does not listen here. ${policy.listens.reason} ${followUp}`
  }
  const { flush_interval_seconds: seconds, flush_max_messages: most } = chat.ambient
  return `This message would wait for a batch: it is read after about ${seconds} s, or with ${most} messages. ${followUp}`
}

/** The bot's names. */
export function namesOf(chat: Config["chat"]): string[] {
  return [chat.name, ...chat.nicknames]
}
