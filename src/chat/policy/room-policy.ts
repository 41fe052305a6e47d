import type { Config } from "../../config/schema.ts"
import type { Author, RoomRef } from "../channels/channel.ts"
import { blocksPerson, entriesOf, namesPerson, namesRoom } from "./lists.ts"

/** Whether something is allowed, and why, as a sentence. */
export interface PolicyVerdict {
  allowed: boolean
  reason: string
}

/** What is allowed in one room. A thread has the policy of its channel. */
export interface RoomPolicy {
  /** Answer users who address us. */
  answers: PolicyVerdict
  /** Read what is not addressed to us. */
  listens: PolicyVerdict
  /** Speak unasked about what was read. */
  speaksUnasked: PolicyVerdict
  /** Start topics of our own. */
  startsTopics: PolicyVerdict
  /** Post a thought after reading the web for it. */
  postsAfterWeb: PolicyVerdict
  /** Answer private messages. */
  answersPrivately: PolicyVerdict
  /** Remember what people state about themselves and the community, without being asked to. */
  learns: PolicyVerdict
  /** Post pictures, videos and GIFs. */
  postsMedia: PolicyVerdict
  isBlocked(author: Pick<Author, "id">): boolean
  mayCommand(author: Pick<Author, "id">): boolean
}

/** The policy of every room, from the configuration. */
export function openPolicy(chat: Config["chat"]): (room: RoomRef) => RoomPolicy {
  const { policy, ambient } = chat
  const allowed = openList(policy, "allowed_channels")
  const blocked = openList(policy, "blocked_channels")
  const listened = openList(policy, "ambient_channels")
  const replied = openList(policy, "reply_channels")
  const begun = openList(policy, "discovery_channels")
  const afterWeb = openList(policy, "post_after_web_channels")
  const remembered = openList(policy, "remember_channels")
  const withoutMedia = openList(policy, "no_media_channels")
  const blockedUsers = entriesOf(policy.blocked_users)
  const commandUsers = entriesOf(policy.command_users)
  return (room) => {
    const block = blocked.names(room)
    const unlessBlocked = (verdict: PolicyVerdict) => (block.allowed ? no(block.reason) : verdict)
    const answers = () => {
      if (allowed.isEmpty) return yes("chat.policy.allowed_channels is empty, which allows every channel.")
      const named = allowed.names(room)
      const alsoNamed = listened.names(room)
      return !named.allowed && alsoNamed.allowed ? alsoNamed : named
    }
    const hears = listened.names(room)
    const listens = unlessBlocked(
      hears.allowed && !ambient.enabled ? no("chat.ambient.enabled is off.") : hears,
    )
    const speaks = replied.isEmpty
      ? yes("chat.policy.reply_channels is empty, which means every channel it listens in.")
      : replied.names(room)
    const learns = remembered.names(room)
    const media = withoutMedia.names(room)
    return {
      answers: unlessBlocked(answers()),
      listens,
      speaksUnasked: listens.allowed ? speaks : listens,
      startsTopics: unlessBlocked(begun.names(room)),
      postsAfterWeb: unlessBlocked(afterWeb.names(room)),
      answersPrivately: policy.private_messages
        ? yes("Private messages are answered.")
        : no("chat.policy.private_messages is off."),
      learns: unlessBlocked(learns.allowed ? learns : no(onlyAsked)),
      postsMedia: unlessBlocked({ allowed: !media.allowed, reason: media.reason }),
      isBlocked: (author) => blocksPerson(blockedUsers, room.platform, author),
      mayCommand: (author) => namesPerson(commandUsers, room.platform, author),
    }
  }
}

const onlyAsked =
  "chat.policy.remember_channels does not name this channel; it remembers only what it is asked to."

function openList(policy: Config["chat"]["policy"], key: keyof typeof policy & `${string}_channels`) {
  const entries = entriesOf(policy[key])
  return {
    isEmpty: entries.size === 0,
    names: (room: RoomRef): PolicyVerdict =>
      namesRoom(entries, room)
        ? yes(`chat.policy.${key} names this channel.`)
        : no(`chat.policy.${key} does not name this channel.`),
  }
}

const everywhere = "It is muted everywhere; `reverie chat mute --all --off` ends that."

/** The policy while it is muted everywhere: nothing is allowed. */
export function mutedPolicy(policy: (room: RoomRef) => RoomPolicy): (room: RoomRef) => RoomPolicy {
  const none = no(everywhere)
  const nothing: Omit<RoomPolicy, "isBlocked" | "mayCommand"> = {
    answers: none,
    listens: none,
    speaksUnasked: none,
    startsTopics: none,
    postsAfterWeb: none,
    answersPrivately: none,
    learns: none,
    postsMedia: none,
  }
  return (room) => ({ ...policy(room), ...nothing })
}

const yes = (why: string): PolicyVerdict => ({ allowed: true, reason: why })
const no = (why: string): PolicyVerdict => ({ allowed: false, reason: why })
