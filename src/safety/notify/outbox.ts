import { newTimedId } from "../../base/random.ts"
import type { WriteContext } from "../../storage/core.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { type Sql, sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { type Urgency, urgencies } from "../permission/request.ts"
import type { SendResult, Subject } from "./notice.ts"

/** A queued or sent notice. Its text is written when it is sent. */
export interface StoredNotice {
  id: string
  channel: string
  urgency: Urgency
  about: Subject[]
  createdAt: number
  dueAt: number
  attempts: number
}

type Row = Omit<StoredNotice, "about"> & { about: string }

const columns = sql`id, channel, urgency, about, created_at as "createdAt", due_at as "dueAt", attempts`

/** The notices that match a condition, which may end with an order and a limit. */
async function readNotices(on: Reader, where: Sql): Promise<StoredNotice[]> {
  const rows = await on.read<Row>(sql`select ${columns} from notices where ${where}`)
  return rows.map((row) => ({ ...row, about: JSON.parse(row.about) }))
}

/** Adds a subject to the channel's waiting notice, or queues a new one. */
export async function queueNotice(
  transaction: Transaction,
  { install, random, now }: WriteContext,
  {
    channel,
    subject,
    urgency,
    dueAt,
  }: { channel: string; subject: Subject; urgency: Urgency; dueAt: number },
  by: By,
): Promise<void> {
  const [waiting] = await readNotices(
    transaction,
    sql`install = ${install} and channel = ${channel} and state = 'waiting' and attempts = 0 and due_at > ${now}
      order by due_at limit 1`,
  )
  const shared = { channel, about: subject, urgency }
  const queued = (id: string, at: number) =>
    appendEntry(transaction, {
      ...by,
      at: now,
      kind: "notice.queued",
      subject: id,
      data: { ...shared, dueAt: at },
    })
  if (waiting === undefined) {
    const id = newTimedId(random, now, "notice")
    await transaction.run(sql`
      insert into notices (id, install, channel, state, about, urgency, created_at, due_at, attempts)
      values (${id}, ${install}, ${channel}, 'waiting', ${JSON.stringify([subject])}, ${urgency}, ${now}, ${dueAt}, 0)`)
    await queued(id, dueAt)
    return
  }
  if (waiting.about.some(({ kind, id }) => kind === subject.kind && id === subject.id)) return
  const higher =
    urgencies[Math.max(urgencies.indexOf(urgency), urgencies.indexOf(waiting.urgency))] ?? urgency
  const sooner = Math.min(dueAt, waiting.dueAt)
  await transaction.run(sql`
    update notices set about = ${JSON.stringify([...waiting.about, subject])}, urgency = ${higher}, due_at = ${sooner}
    where id = ${waiting.id}`)
  await queued(waiting.id, sooner)
}

/** The waiting notices that are due. */
export function dueNotices(on: Reader, install: string, now: number): Promise<StoredNotice[]> {
  return readNotices(
    on,
    sql`install = ${install} and state = 'waiting' and due_at <= ${now} order by due_at, id limit 100`,
  )
}

/** When the next notice is due; undefined if none waits. */
export async function nextDue(on: Reader, install: string): Promise<number | undefined> {
  const [row] = await on.read<{ due: number | null }>(
    sql`select min(due_at) as due from notices where install = ${install} and state = 'waiting'`,
  )
  return row?.due ?? undefined
}

/** Claims a notice for sending; false if another process has it. */
export async function claimNotice(
  transaction: Transaction,
  { id, now }: { id: string; now: number },
  by: By,
): Promise<boolean> {
  const changed = await transaction.run(sql`
    update notices set state = 'sending', attempts = attempts + 1 where id = ${id} and state = 'waiting'`)
  if (changed > 0) await appendEntry(transaction, { ...by, at: now, kind: "notice.started", subject: id })
  return changed > 0
}

/** The final result of sending a notice; `again` is the time of the next attempt. */
export type NoticeOutcome =
  | Exclude<SendResult, { outcome: "failed" }>
  | { outcome: "failed"; reason: string; again: number | null }
  /** There is nothing left to report, or the channel is gone. */
  | { outcome: "dropped"; reason: string }

/** Saves the result of sending a notice. */
export async function finishNotice(
  transaction: Transaction,
  { id, now }: { id: string; now: number },
  fate: NoticeOutcome,
  by: By,
): Promise<void> {
  const again = fate.outcome === "failed" ? fate.again : null
  const state = again === null ? fate.outcome : "waiting"
  const problem = fate.outcome === "sent" ? null : fate.reason
  const changed = await transaction.run(sql`
    update notices set state = ${state}, problem = ${problem}, due_at = coalesce(${again}, due_at),
      sent_at = ${fate.outcome === "sent" ? now : null}
    where id = ${id} and state = 'sending'`)
  if (changed === 0) return
  const data = problem === null ? {} : { reason: problem, again }
  await appendEntry(transaction, { ...by, at: now, kind: `notice.${fate.outcome}`, subject: id, data })
}

/** Notices that were being sent when the program ended: it is unknown whether they were delivered. */
export function interruptedNotices(on: Reader, install: string): Promise<StoredNotice[]> {
  return readNotices(on, sql`install = ${install} and state = 'sending' order by id`)
}

/** How far the journal has been read for notices; undefined before the first time. */
export async function journalPosition(on: Reader, install: string): Promise<number | undefined> {
  const [row] = await on.read<{ heard_to: number }>(
    sql`select heard_to from notice_positions where install = ${install}`,
  )
  return row?.heard_to
}

/** Saves how far the journal has been read, in the transaction that queues the notices. */
export async function saveJournalPosition(
  transaction: Transaction,
  install: string,
  seq: number,
): Promise<void> {
  await transaction.run(sql`
    insert into notice_positions (install, heard_to) values (${install}, ${seq})
    on conflict (install) do update set heard_to = excluded.heard_to`)
}

/** Deletes finished notices from before a time. */
export async function deleteOldNotices(
  transaction: Transaction,
  install: string,
  before: number,
): Promise<void> {
  await transaction.run(sql`
    delete from notices where install = ${install} and created_at < ${before} and state not in ('waiting', 'sending')`)
}
