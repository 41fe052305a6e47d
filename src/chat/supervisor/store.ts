import { isoTime } from "../../base/clock.ts"
import { newId } from "../../base/random.ts"
import type { Core } from "../../storage/core.ts"
import { appendEntries } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { RoomRef } from "../channels/channel.ts"
import type { ChatEntry } from "../conversation/effect.ts"
import { type ConversationState, roomKey } from "../conversation/state.ts"

/** The counts of one room and day. */
export interface Usage {
  messages: number
  calls: number
  replies: number
  silences: number
  microUsd: number
}

/** One conversation to store: its newest state, and its journal entries and counts since the last save. */
export interface Save {
  room: RoomRef
  at: number
  state: ConversationState
  entries: readonly ChatEntry[]
  usage: Usage
}

export interface ChatStore {
  load(key: string): Promise<ConversationState | null>
  /** Conversations of a platform that are not at rest. */
  loadOpen(platform: string): Promise<ConversationState[]>
  /** The rooms of a platform with messages, the most recent first. */
  rooms(platform: string, most: number): Promise<RoomRef[]>
  /** Stores all of them with their journal entries, in one transaction. */
  save(saves: readonly Save[]): Promise<void>
  /** A day's calls and cost, for each platform and community. */
  usageOf(day: string): Promise<{ platform: string; community: string; calls: number; microUsd: number }[]>
}

export function openChatStore({ db, random }: Pick<Core, "db" | "random">): ChatStore {
  const parsed = (rows: readonly { state: string }[]): ConversationState[] =>
    rows.map(({ state }) => JSON.parse(state)).filter((state) => state.version === 1)
  return {
    async load(key) {
      const [state] = parsed(await db.read(sql`select state from chat_conversations where room = ${key}`))
      return state ?? null
    },
    async loadOpen(platform) {
      return parsed(
        await db.read(sql`select state from chat_conversations where platform = ${platform} and is_open = 1`),
      )
    },
    async rooms(platform, most) {
      const rows = await db.read<{ room: string }>(sql`
        select place as room from chat_conversations where platform = ${platform} order by updated_at desc limit ${most}`)
      return rows.map(({ room }) => JSON.parse(room))
    },
    async save(saves) {
      const operation = newId(random, "op")
      await db.write(async (transaction) => {
        for (const save of saves) await write(transaction, save, operation)
      })
    },
    async usageOf(day) {
      return db.read(sql`
        select platform, community, cast(sum(calls) as bigint) as calls, cast(sum(micro_usd) as bigint) as "microUsd"
        from chat_usage where day = ${day} group by platform, community`)
    },
  }
}

async function write(transaction: Transaction, save: Save, operation: string): Promise<void> {
  const { room, at, state, entries, usage } = save
  const key = roomKey(room)
  await transaction.run(sql`
    insert into chat_conversations (room, platform, community, place, state, is_open, updated_at)
    values (${key}, ${room.platform}, ${room.community}, ${JSON.stringify(room)}, ${JSON.stringify(state)},
      ${isOpen(state) ? 1 : 0}, ${at})
    on conflict (room) do update set state = excluded.state, is_open = excluded.is_open, updated_at = excluded.updated_at`)
  await appendEntries(
    transaction,
    entries.map(({ kind, reason, data }) => ({
      ...{ at, kind, subject: key, operation, actor: "chat", data: { reason, ...data } },
    })),
  )
  if (Object.values(usage).some((count) => count > 0)) await count(transaction, key, save)
}

async function count(transaction: Transaction, key: string, { room, at, usage }: Save): Promise<void> {
  const { messages, calls, replies, silences, microUsd } = usage
  await transaction.run(sql`
    insert into chat_usage (room, day, platform, community, messages, calls, replies, silences, micro_usd)
    values (${key}, ${dayOf(at)}, ${room.platform}, ${room.community}, ${messages}, ${calls}, ${replies}, ${silences},
      ${microUsd})
    on conflict (room, day) do update set messages = chat_usage.messages + excluded.messages,
      calls = chat_usage.calls + excluded.calls, replies = chat_usage.replies + excluded.replies,
      silences = chat_usage.silences + excluded.silences, micro_usd = chat_usage.micro_usd + excluded.micro_usd`)
}

/** The UTC day of a time, for budgets and counts. */
export function dayOf(at: number): string {
  return isoTime(at).slice(0, 10)
}

/** Whether something is still to be done: such conversations are loaded at the next start. */
export function isOpen({ run, waiting, buffer, aside, active }: ConversationState): boolean {
  return run !== null || waiting.length > 0 || buffer.length > 0 || aside.length > 0 || active !== null
}

/** Every room with messages, the most recent first. */
export async function knownRooms(on: Reader): Promise<RoomRef[]> {
  const rows = await on.read<{ room: string }>(sql`
    select place as room from chat_conversations order by updated_at desc limit 10000`)
  return rows.map(({ room }) => JSON.parse(room))
}

/** The counts of each room since a day, the busiest first. */
export async function usageSince(on: Reader, day: string): Promise<(Usage & { room: string })[]> {
  return on.read(sql`
    select room, cast(sum(messages) as bigint) as messages, cast(sum(calls) as bigint) as calls,
      cast(sum(replies) as bigint) as replies, cast(sum(silences) as bigint) as silences,
      cast(sum(micro_usd) as bigint) as "microUsd"
    from chat_usage where day >= ${day} group by room order by sum(messages) desc, room`)
}
