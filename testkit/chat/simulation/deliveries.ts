import type { ChatMessage } from "../../../src/chat/channels/channel.ts"
import { roomKey } from "../../../src/chat/conversation/state.ts"
import type { Remembers } from "./platform.ts"

/**
 * What reached the program, and what could not be stored before it died. A platform that remembers everything gives all
 * of it again. Elsewhere, and in a room that was never stored, a message is lost only if the process dies before what
 * is ready has run once: storing has begun by then.
 */
export interface Deliveries {
  said(message: ChatMessage): void
  delivered(message: ChatMessage): void
  /** A state that knows these messages of a room is stored. */
  stored(room: string, seen: readonly string[]): void
  /** The store could not be written or read. */
  failed(): void
  /** The state of a room was read, or could not be. */
  read(room: string, isRead: boolean): void
  /** Everything that was ready has run. */
  rested(): void
  died(): void
  /** Whether nobody can be blamed for a message that the journal does not know. */
  isExcused(message: ChatMessage): boolean
}

/** A state that nothing depends on may wait so long to be stored. */
const soonMs = 500
/** After a failure it takes so long until the store has been tried often enough. */
const retriesMs = 2000

export function createDeliveries(remembers: Remembers, gone: () => number): Deliveries {
  interface Delivery {
    room: string
    rests: number
    at: number
    hasFailed: boolean
  }
  let open = new Map<string, Delivery>()
  let rests = 0
  let failedAt = Number.NEGATIVE_INFINITY
  /**
   * Rooms whose state could not be read yet in this life. The program reads each again ever more slowly, up to every 30
   * seconds, and can store nothing of it before: without the old state it would answer again what was answered. So what
   * arrives meanwhile is only in memory, however long ago the failure was. In a life that goes on it must still be read.
   */
  const unread = new Set<string>()
  const reached = new Set<string>()
  const unstored = new Set<string>()
  /** Said where the program had never stored anything: nobody looks there for what was missed. */
  const inUnknownRooms = new Set<string>()
  const known = new Set<string>()
  const idOf = ({ room, id }: ChatMessage) => `${roomKey(room)} ${id}`
  const isLate = ({ room, rests: since, at, hasFailed }: Delivery) => {
    if (hasFailed || since === rests) return false
    return remembers !== "little" || !known.has(room) || gone() - at > soonMs
  }
  return {
    said(message) {
      if (!known.has(roomKey(message.room))) inUnknownRooms.add(idOf(message))
    },
    delivered(message) {
      reached.add(idOf(message))
      const hasFailed = gone() < failedAt + retriesMs || unread.has(roomKey(message.room))
      open.set(idOf(message), { room: roomKey(message.room), rests, at: gone(), hasFailed })
    },
    stored(room, seen) {
      if (seen.length > 0) known.add(room)
      for (const id of seen) open.delete(`${room} ${id}`)
    },
    failed() {
      failedAt = gone()
      for (const one of open.values()) one.hasFailed = true
    },
    read(room, isRead) {
      if (isRead) unread.delete(room)
      else unread.add(room)
    },
    rested() {
      rests += 1
    },
    died() {
      for (const [id, one] of open) {
        const isKept = remembers === "all" && known.has(one.room) && !inUnknownRooms.has(id)
        if (!isKept && !isLate(one)) unstored.add(id)
      }
      open = new Map()
      unread.clear()
    },
    isExcused(message) {
      const id = idOf(message)
      const isAsked = remembers === "all" && !inUnknownRooms.has(id)
      return unstored.has(id) || (!isAsked && !reached.has(id))
    },
  }
}
