import { type Clock, sleep } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Log } from "../../base/log.ts"
import type { Channel, RoomRef } from "../channels/channel.ts"
import type { Conversation } from "./conversation.ts"

interface CatchingUpNeeds {
  clock: Clock
  log: Log
  /** Aborted when everything stops. */
  signal: AbortSignal
  /** The conversations of a platform that are in memory. */
  awake(platform: string): Conversation[]
  rooms(platform: string): Promise<RoomRef[]>
  mayFetch(room: RoomRef): boolean
  conversationIn(room: RoomRef): Conversation
}

/** How many messages are fetched of a room at once after a cut, and of how many rooms at a time. */
const missedPage = 100
const roomsAtATime = 8
/** How long after a failure it is tried again to fetch what was missed. */
const retriesMs = [5000, 30_000, 120_000, 600_000]

/** Fetches what rooms missed while their platform was cut off. */
export function openCatchingUp(needs: CatchingUpNeeds) {
  const { clock, log, signal, conversationIn } = needs
  const underWay = new Map<string, number>()
  /** How often each platform was connected: a newer cut is not closed by what was fetched for an older one. */
  const connections = new Map<string, number>()

  /** Marks at once up to where everything is known, then fetches what each room missed. */
  const catchUp = async (channel: Channel) => {
    const { platform, capabilities } = channel
    if (!capabilities.history) return
    for (const conversation of needs.awake(platform)) conversation.post({ kind: "gap" })
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
      await Promise.all(Array.from({ length: roomsAtATime }, catchUpSome))
    } finally {
      underWay.set(platform, (underWay.get(platform) ?? 1) - 1)
    }
  }
  const catchUpIn = async (room: RoomRef, channel: Channel, isCurrent: () => boolean) => {
    await conversationIn(room).settled()
    if (needs.mayFetch(room)) await again(() => fetchMissed(room, channel, isCurrent), isCurrent)
  }
  /** Each part is taken in as it comes; what follows is fetched from there, even after a failure. */
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
  /** Tries it again after a while, as long as it matters. */
  const again = async <T>(work: () => Promise<T>, isCurrent: () => boolean): Promise<T | undefined> => {
    for (const wait of [...retriesMs, undefined]) {
      try {
        return await work()
      } catch (error) {
        log.warn("What a room missed could not be fetched.", { reason: messageOf(error) })
      }
      if (wait === undefined || !isCurrent()) return undefined
      await sleep(clock, wait, signal)
      if (!isCurrent()) return undefined
    }
    return undefined
  }

  return {
    catchUp,
    /** Whether what a platform's rooms missed is being fetched. */
    isAt: (platform: string) => (underWay.get(platform) ?? 0) > 0,
  }
}
