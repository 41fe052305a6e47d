import { UserError } from "../base/errors.ts"
import { newTimedId } from "../base/random.ts"
import type { WriteContext } from "../storage/core.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { type Sql, sql } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"
import { type Priority, priorityOf, rankOf } from "./priority.ts"

/** A task that the agent or the user planned for later. It stays until a cycle has done it. */
export interface QueueItem {
  id: string
  dueAt: number
  priority: Priority
  /** What to do. */
  context: string
  project: string | null
  /** A cycle's id, or another actor. */
  createdBy: string
  createdAt: number
  state: "waiting" | "claimed" | "done" | "failed" | "cancelled"
  /** The cycle that works on it, or worked on it last. */
  cycle: string | null
  /** How often a cycle has claimed it. */
  attempts: number
  outcome: string | null
}

type Row = Omit<QueueItem, "priority"> & { priority: number }

const columns = sql`id, priority, due_at as "dueAt", context, project, created_by as "createdBy",
  created_at as "createdAt", state, cycle, attempts, outcome`

/** The items that match a condition, by priority and due time. */
async function readItems(on: Reader, where: Sql): Promise<QueueItem[]> {
  const rows = await on.read<Row>(sql`
    select ${columns} from queue_items where ${where} order by priority, due_at, id`)
  return rows.map((row) => ({ ...row, priority: priorityOf(row.priority) }))
}

export type NewItem = Pick<QueueItem, "dueAt" | "priority" | "context" | "project" | "createdBy">

export async function addItem(
  transaction: Transaction,
  { install, random, now }: WriteContext,
  item: NewItem,
  by: By,
): Promise<QueueItem> {
  const id = newTimedId(random, now, "q")
  await transaction.run(sql`
    insert into queue_items (id, install, priority, due_at, context, project, created_by, created_at, state, attempts)
    values (${id}, ${install}, ${rankOf(item.priority)}, ${Math.round(item.dueAt)}, ${item.context}, ${item.project},
      ${item.createdBy}, ${now}, 'waiting', 0)`)
  await appendEntry(transaction, { ...by, at: now, kind: "queue.added", subject: id, data: item })
  return { ...item, id, createdAt: now, state: "waiting", cycle: null, attempts: 0, outcome: null }
}

/** The open items, by priority. */
export function waitingItems(on: Reader, install: string): Promise<QueueItem[]> {
  return readItems(on, sql`install = ${install} and state in ('waiting', 'claimed')`)
}

/** One item, by its id or a unique beginning or end of it. */
export async function findItem(on: Reader, install: string, id: string): Promise<QueueItem | undefined> {
  const isMatch = sql`(id like ${`${id}%`} or id like ${`%${id}`})`
  const found = await readItems(on, sql`install = ${install} and ${isMatch}`)
  if (found.length > 1 && !found.some((item) => item.id === id))
    throw new UserError("usage", `Several items in the queue begin with ${id}; give more of it.`)
  return found.find((item) => item.id === id) ?? found[0]
}

/** Claims all due items for a cycle. They stay in the queue until they are done. */
export async function claimDue(
  transaction: Transaction,
  { install, now, cycle }: { install: string; now: number; cycle: string },
  by: By,
): Promise<QueueItem[]> {
  const isDue = sql`install = ${install} and state = 'waiting' and due_at <= ${now}`
  const due = await readItems(transaction, isDue)
  if (due.length === 0) return []
  await transaction.run(sql`
    update queue_items set state = 'claimed', cycle = ${cycle}, attempts = attempts + 1 where ${isDue}`)
  const data = { items: due.map(({ id }) => id) }
  await appendEntry(transaction, { ...by, at: now, kind: "queue.claimed", subject: cycle, data })
  return due.map((item) => ({ ...item, state: "claimed", cycle, attempts: item.attempts + 1 }))
}

/** Ends an item that a cycle claimed; false if it is not claimed by it. */
export async function endItem(
  transaction: Transaction,
  { id, cycle, now, state, outcome }: HandledItem & { state: "done" | "failed" },
  by: By,
): Promise<boolean> {
  const changed = await transaction.run(sql`
    update queue_items set state = ${state}, ended_at = ${now}, outcome = ${outcome}
    where id = ${id} and state = 'claimed' and cycle = ${cycle}`)
  if (changed === 0) return false
  const kind = state === "done" ? ("queue.finished" as const) : ("queue.failed" as const)
  await appendEntry(transaction, { ...by, at: now, kind, subject: id, data: { cycle } })
  return true
}

/** Postpones an item that a cycle claimed; false if it is not claimed by it. */
export async function postponeItem(
  transaction: Transaction,
  { id, cycle, now, dueAt, outcome }: HandledItem & { dueAt: number },
  by: By,
): Promise<boolean> {
  const changed = await transaction.run(sql`
    update queue_items set state = 'waiting', cycle = null, due_at = ${Math.round(dueAt)}, outcome = ${outcome}
    where id = ${id} and state = 'claimed' and cycle = ${cycle}`)
  if (changed === 0) return false
  const data = { cycle, dueAt }
  await appendEntry(transaction, { ...by, at: now, kind: "queue.postponed", subject: id, data })
  return true
}

interface HandledItem {
  id: string
  cycle: string
  now: number
  outcome: string
}

/** The items that a cycle has claimed and not ended. */
export function claimedItems(on: Reader, cycle: string): Promise<QueueItem[]> {
  return readItems(on, sql`state = 'claimed' and cycle = ${cycle}`)
}

/** Releases the items that a cycle did not end; they are due again after a pause. */
export async function releaseItems(
  transaction: Transaction,
  { now, cycle, pauseMs }: { now: number; cycle: string; pauseMs: number },
  by: By,
): Promise<number> {
  const released = await transaction.run(sql`
    update queue_items set state = 'waiting', cycle = null, due_at = ${now + pauseMs}
    where state = 'claimed' and cycle = ${cycle}`)
  const entry = { ...by, at: now, kind: "queue.released" as const, subject: cycle, data: { released } }
  if (released > 0) await appendEntry(transaction, entry)
  return released
}

/** Cancels an item that is not claimed. */
export async function cancelItem(
  transaction: Transaction,
  { id, now }: { id: string; now: number },
  by: By,
): Promise<boolean> {
  const cancelled = await transaction.run(sql`
    update queue_items set state = 'cancelled', ended_at = ${now} where id = ${id} and state = 'waiting'`)
  if (cancelled > 0) await appendEntry(transaction, { ...by, at: now, kind: "queue.cancelled", subject: id })
  return cancelled > 0
}
