import type { Config } from "../../config/schema.ts"
import type { Author, RoomRef } from "../channels/channel.ts"
import { blocksPerson, type Entries, entriesOf, namesPerson, namesRoom } from "./lists.ts"

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
  const lists = {
    allowed: entriesOf(policy.allowed_channels),
    blocked: entriesOf(policy.blocked_channels),
    ambient: entriesOf(policy.ambient_channels),
    reply: entriesOf(policy.reply_channels),
    discovery: entriesOf(policy.discovery_channels),
    afterWeb: entriesOf(policy.post_after_web_channels),
    remember: entriesOf(policy.remember_channels),
    noMedia: entriesOf(policy.no_media_channels),
  }
  const blockedUsers = entriesOf(policy.blocked_users)
  const commandUsers = entriesOf(policy.command_users)
  return (room) => {
    const isBlocked = namesRoom(lists.blocked, room)
    const unlessBlocked = (verdict: Verdict) => (isBlocked ? blocked : verdict)
    const listens = unlessBlocked(listening(lists.ambient, room, ambient.enabled))
    return {
      answers: unlessBlocked(answering(lists, room)),
      listens,
      speaksUnasked: listens.is ? speaking(lists.reply, room) : listens,
      begins: unlessBlocked(beginning(lists.discovery, room)),
      postsAfterWeb: unlessBlocked(afterWeb(lists.afterWeb, room)),
      answersPrivately: policy.private_messages
        ? yes("Private messages are answered.")
        : no("chat.policy.private_messages is off."),
      learns: unlessBlocked(learning(lists.remember, room)),
      attaches: unlessBlocked(attaching(lists.noMedia, room)),
      isBlocked: (author) => blocksPerson(blockedUsers, room.platform, author),
      mayCommand: (author) => namesPerson(commandUsers, room.platform, author),
    }
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
const blocked = no("chat.policy.blocked_channels names this channel.")

function answering({ allowed, ambient }: { allowed: Entries; ambient: Entries }, room: RoomRef): Verdict {
  if (allowed.size === 0) return yes("chat.policy.allowed_channels is empty, which allows every channel.")
  if (namesRoom(allowed, room)) return yes("chat.policy.allowed_channels names this channel.")
  if (namesRoom(ambient, room)) return yes("chat.policy.ambient_channels names this channel.")
  return no("chat.policy.allowed_channels does not name this channel.")
}

function listening(ambient: Entries, room: RoomRef, isEnabled: boolean): Verdict {
  if (!namesRoom(ambient, room)) return no("chat.policy.ambient_channels does not name this channel.")
  if (!isEnabled) return no("chat.ambient.enabled is off.")
  return yes("chat.policy.ambient_channels names this channel.")
}

function speaking(reply: Entries, room: RoomRef): Verdict {
  if (reply.size === 0)
    return yes("chat.policy.reply_channels is empty, which means every channel it listens in.")
  if (namesRoom(reply, room)) return yes("chat.policy.reply_channels names this channel.")
  return no("chat.policy.reply_channels does not name this channel.")
}

function beginning(discovery: Entries, room: RoomRef): Verdict {
  if (namesRoom(discovery, room)) return yes("chat.policy.discovery_channels names this channel.")
  return no("chat.policy.discovery_channels does not name this channel.")
}

function attaching(noMedia: Entries, room: RoomRef): Verdict {
  if (namesRoom(noMedia, room)) return no("chat.policy.no_media_channels names this channel.")
  return yes("chat.policy.no_media_channels does not name this channel.")
}

function afterWeb(list: Entries, room: RoomRef): Verdict {
  if (namesRoom(list, room)) return yes("chat.policy.post_after_web_channels names this channel.")
  return no("chat.policy.post_after_web_channels does not name this channel.")
}

function learning(remember: Entries, room: RoomRef): Verdict {
  if (namesRoom(remember, room)) return yes("chat.policy.remember_channels names this channel.")
  return no(
    "chat.policy.remember_channels does not name this channel; it remembers only what it is asked to.",
  )
}
