import { newTimedId } from "../base/random.ts"
import type { WriteContext } from "../storage/core.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { sql } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"
import { type Priority, priorityOf, rankOf } from "./priority.ts"

/** Events that may start a cycle early, and their priorities. */
const priorityByKind = {
  command: "immediate",
  "session-crashed": "high",
  "session-closed": "normal",
  push: "low",
  "user-idle": "low",
  "memory-full": "low",
} as const satisfies Record<string, Priority>

export type TriggerKind = keyof typeof priorityByKind

export interface Trigger {
  id: string
  kind: TriggerKind
  priority: Priority
  at: number
  /** What it is about, such as a session's id. */
  about: string | null
}

/** Adds a trigger; false if the same one is already open. */
export async function addTrigger(
  transaction: Transaction,
  { install, random, now }: WriteContext,
  trigger: { kind: TriggerKind; about?: string | null },
  by: By,
): Promise<boolean> {
  const about = trigger.about ?? null
  const [known] = await transaction.read<{ id: string }>(sql`
    select id from wake_requests where install = ${install} and kind = ${trigger.kind} and cycle is null
      and coalesce(about, '') = ${about ?? ""} limit 1`)
  if (known) return false
  const id = newTimedId(random, now, "w")
  await transaction.run(sql`
    insert into wake_requests (id, install, kind, priority, at, about)
    values (${id}, ${install}, ${trigger.kind}, ${rankOf(priorityByKind[trigger.kind])}, ${now}, ${about})`)
  await appendEntry(transaction, { ...by, at: now, kind: "trigger.noted", subject: id, data: { ...trigger } })
  return true
}

/** The triggers that no cycle has handled yet, by priority. */
export async function openTriggers(on: Reader, install: string): Promise<Trigger[]> {
  const rows = await on.read<Omit<Trigger, "priority"> & { priority: number }>(sql`
    select id, kind, priority, at, about from wake_requests where install = ${install} and cycle is null
    order by priority, at, id`)
  return rows.map((row) => ({ ...row, priority: priorityOf(row.priority) }))
}

/** Marks the triggers up to a time as handled by a cycle. */
export async function takeTriggers(
  transaction: Transaction,
  { install, cycle, until }: { install: string; cycle: string; until: number },
): Promise<number> {
  return transaction.run(sql`
    update wake_requests set cycle = ${cycle} where install = ${install} and cycle is null and at <= ${until}`)
}
