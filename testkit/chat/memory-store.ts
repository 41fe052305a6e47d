import type { RoomRef } from "../../src/chat/channels/channel.ts"
import type { ChatEntry } from "../../src/chat/conversation/effect.ts"
import { type ConversationState, roomKey } from "../../src/chat/conversation/state.ts"
import { type ChatStore, dayOf } from "../../src/chat/supervisor/store.ts"

/** Everything that is in a store. */
export interface Kept {
  journal: { kind: string; room: string; data: Record<string, unknown> }[]
  states: ConversationState[]
}

/** What was stored, and everything the journal was told, in order. */
export interface MemoryStore extends ChatStore {
  journal: (ChatEntry & { room: string; at: number })[]
  states: Map<string, { room: RoomRef; state: string }>
  all(): Promise<Kept>
}

/** Conversations kept in memory as text, as a database would. */
export function createMemoryStore(): MemoryStore {
  const states: MemoryStore["states"] = new Map()
  const usage = new Map<
    string,
    { platform: string; community: string; calls: number; microUsd: number; day: string }
  >()
  const journal: MemoryStore["journal"] = []
  const parsed = ({ state }: { state: string }): ConversationState => JSON.parse(state)
  const store: MemoryStore = {
    journal,
    states,
    async load(key) {
      const found = states.get(key)
      return found ? parsed(found) : null
    },
    async loadOpen(platform) {
      return [...states.values()].filter(({ room }) => room.platform === platform).map(parsed)
    },
    async rooms(platform, most) {
      const rooms = [...states.values()].map(({ room }) => room)
      return rooms.filter((room) => room.platform === platform).slice(0, most)
    },
    async save(saves) {
      for (const { room, at, state, entries, usage: used } of saves) {
        const key = roomKey(room)
        states.set(key, { room, state: JSON.stringify(state) })
        journal.push(...entries.map((entry) => ({ ...entry, room: key, at })))
        const day = dayOf(at)
        const name = `${key} ${day}`
        const before = usage.get(name) ?? {
          platform: room.platform,
          community: room.community,
          calls: 0,
          microUsd: 0,
          day,
        }
        usage.set(name, {
          ...before,
          calls: before.calls + used.calls,
          microUsd: before.microUsd + used.microUsd,
        })
      }
    },
    async all() {
      return {
        journal: journal.map(({ kind, room, data = {} }) => ({ kind, room, data })),
        states: [...states.values()].map(parsed),
      }
    },
    async usageOf(day) {
      const sums = new Map<string, { platform: string; community: string; calls: number; microUsd: number }>()
      for (const { platform, community, calls, microUsd } of [...usage.values()].filter(
        (one) => one.day === day,
      )) {
        const key = `${platform}/${community}`
        const sum = sums.get(key) ?? { platform, community, calls: 0, microUsd: 0 }
        sums.set(key, { ...sum, calls: sum.calls + calls, microUsd: sum.microUsd + microUsd })
      }
      return [...sums.values()]
    },
  }
  return store
}
