import { type Clock, sleep } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Log } from "../../base/log.ts"
import type { Channel, RoomRef } from "../channels/channel.ts"
import type { Conversation } from "./conversation.ts"

interface CatchUpNeeds {
  clock: Clock
  log: Log
  /** Aborted when everything stops. */
  signal: AbortSignal
  /** The loaded conversations of a platform. */
  loaded(platform: string): Conversation[]
  rooms(platform: string): Promise<RoomRef[]>
  mayFetch(room: RoomRef): boolean
  conversationIn(room: RoomRef): Conversation
}

/** Missed messages are fetched in pages of this size, for this many rooms at a time. */
const missedPage = 100
const concurrentRooms = 8
/** The waits between retries. */
const retriesMs = [5000, 30_000, 120_000, 600_000]

/** Fetches the messages that rooms missed while their platform was disconnected. */
export function openCatchUp(needs: CatchUpNeeds) {
  const { clock, log, signal, conversationIn } = needs
  const underWay = new Map<string, number>()
  /** Counts the connections of each platform: messages fetched for an older connection do not close a newer gap. */
  const connections = new Map<string, number>()

  /** Marks the gap in every room at once, then fetches what each room missed. */
  const catchUp = async (channel: Channel) => {
    const { platform, capabilities } = channel
    if (!capabilities.history) return
    for (const conversation of needs.loaded(platform)) conversation.post({ kind: "gap" })
    const connection = (connections.get(platform) ?? 0) + 1
    connections.set(platform, connection)
    underWay.set(platform, (underWay.get(platform) ?? 0) + 1)
    const isCurrent = () => !signal.aborted && connections.get(platform) === connection
    try {
      const rooms = await again(() => needs.rooms(platform), isCurrent)
      const left = rooms?.values() ?? [].values()
      const catchUpSome = async () => {
        for (const room of left) if (isCurrent()) await catchUpIn(room, channel, isCurrent)
      }
      await Promise.all(Array.from({ length: concurrentRooms }, catchUpSome))
    } finally {
      underWay.set(platform, (underWay.get(platform) ?? 1) - 1)
    }
  }
  const catchUpIn = async (room: RoomRef, channel: Channel, isCurrent: () => boolean) => {
    await conversationIn(room).settled()
    if (needs.mayFetch(room)) await again(() => fetchMissed(room, channel, isCurrent), isCurrent)
  }
  /** Handles each page as it arrives; a retry continues after the last page. */
  const fetchMissed = async (room: RoomRef, channel: Channel, isCurrent: () => boolean) => {
    const after = conversationIn(room).state().gapAfter
    if (after === null) return
    const missed = await channel.history(room, { limit: missedPage, after })
    const isOpen = missed.length >= missedPage || !isCurrent()
    const conversation = conversationIn(room)
    conversation.post({ kind: "reconnected", missed, isOpen })
    if (!isOpen || !isCurrent()) return
    await conversation.settled()
    if (conversation.state().gapAfter !== after) await fetchMissed(room, channel, isCurrent)
  }
  /** Retries with growing waits, as long as the connection is current. */
  const again = async <T>(work: () => Promise<T>, isCurrent: () => boolean): Promise<T | undefined> => {
    for (const wait of [...retriesMs, undefined]) {
      try {
        return await work()
      } catch (error) {
        log.warn("The missed messages of a room could not be fetched.", { reason: messageOf(error) })
      }
      if (wait === undefined || !isCurrent()) return undefined
      await sleep(clock, wait, signal)
      if (!isCurrent()) return undefined
    }
    return undefined
  }

  return {
    catchUp,
    /** Whether missed messages of a platform are being fetched. */
    isAt: (platform: string) => (underWay.get(platform) ?? 0) > 0,
  }
}
