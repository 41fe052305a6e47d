import type { Config } from "../../config/schema.ts"
import type { Author, RoomRef } from "../channels/channel.ts"
import { blocksPerson, entriesOf, namesPerson, namesRoom } from "./lists.ts"

/** Whether something may be done, and why, as a sentence. */
interface Verdict {
  is: boolean
  why: string
}

/** What may be done in one room. A thread has the policy of its channel. */
export interface RoomPolicy {
  /** Answer who addresses us. */
  answers: Verdict
  /** Read what is not addressed to us. */
  listens: Verdict
  /** Speak unasked about what was read. */
  speaksUnasked: Verdict
  /** Begin a subject of our own. */
  begins: Verdict
  /** Post there what was thought after reading the web. */
  postsAfterWeb: Verdict
  /** Answer what is said to us alone. */
  answersPrivately: Verdict
  /** Remember what people state about themselves and the community, without being asked to. */
  learns: Verdict
  /** Post pictures, videos and GIFs. */
  attaches: Verdict
  isBlocked(author: Pick<Author, "id">): boolean
  mayCommand(author: Pick<Author, "id">): boolean
}

/** The policy of every room, from one section of the configuration. */
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
    const unlessBlocked = (verdict: Verdict) => (block.is ? no(block.why) : verdict)
    const answers = () => {
      if (allowed.isEmpty) return yes("chat.policy.allowed_channels is empty, which allows every channel.")
      const named = allowed.names(room)
      const alsoNamed = listened.names(room)
      return !named.is && alsoNamed.is ? alsoNamed : named
    }
    const hears = listened.names(room)
    const listens = unlessBlocked(hears.is && !ambient.enabled ? no("chat.ambient.enabled is off.") : hears)
    const speaks = replied.isEmpty
      ? yes("chat.policy.reply_channels is empty, which means every channel it listens in.")
      : replied.names(room)
    const learns = remembered.names(room)
    const media = withoutMedia.names(room)
    return {
      answers: unlessBlocked(answers()),
      listens,
      speaksUnasked: listens.is ? speaks : listens,
      begins: unlessBlocked(begun.names(room)),
      postsAfterWeb: unlessBlocked(afterWeb.names(room)),
      answersPrivately: policy.private_messages
        ? yes("Private messages are answered.")
        : no("chat.policy.private_messages is off."),
      learns: unlessBlocked(learns.is ? learns : no(onlyAsked)),
      attaches: unlessBlocked({ is: !media.is, why: media.why }),
      isBlocked: (author) => blocksPerson(blockedUsers, room.platform, author),
      mayCommand: (author) => namesPerson(commandUsers, room.platform, author),
    }
  }
}

const onlyAsked =
  "chat.policy.remember_channels does not name this channel; it remembers only what it is asked to."

/** One list of channels, which says whether it names a room. */
function openList(policy: Config["chat"]["policy"], key: keyof typeof policy & `${string}_channels`) {
  const entries = entriesOf(policy[key])
  return {
    isEmpty: entries.size === 0,
    names: (room: RoomRef): Verdict =>
      namesRoom(entries, room)
        ? yes(`chat.policy.${key} names this channel.`)
        : no(`chat.policy.${key} does not name this channel.`),
  }
}

const everywhere = "It is muted everywhere; `reverie chat mute --all --off` ends that."

/** A policy while it is muted everywhere: nothing is allowed, whatever the lists say. */
export function mutedPolicy(policy: (room: RoomRef) => RoomPolicy): (room: RoomRef) => RoomPolicy {
  const none = no(everywhere)
  const nothing = { answers: none, listens: none, speaksUnasked: none, begins: none, answersPrivately: none }
  return (room) => ({ ...policy(room), ...nothing, learns: none })
}

const yes = (why: string): Verdict => ({ is: true, why })
const no = (why: string): Verdict => ({ is: false, why })
