import type { Clock } from "../base/clock.ts"
import { UserError } from "../base/errors.ts"
import type { Database } from "../storage/database.ts"
import { appendEntry, type By, type JournalEntry, readJournal } from "../storage/journal.ts"
import { sql } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"
import type { Memory } from "./memory.ts"
import { changeMemory } from "./remember.ts"
import { findMemory } from "./store.ts"

/** One operation as a person would name it when undoing. */
export interface OperationSummary {
  operation: string
  at: number
  actor: string
  /** How many memories it changed. */
  changes: number
  /** The first thing it did, such as memory.saved. */
  kind: string
  /** Whether its effect is taken back at present. */
  undone: boolean
  /** The operation this one took back, if it is an undo. */
  undoes: string | null
}

interface OperationRow {
  operation: string
  at: number
  actor: string
  changes: number
  first: number
}

/** The newest operations that changed memories, newest first. */
export async function listOperations(on: Reader, limit: number): Promise<OperationSummary[]> {
  const rows = await on.read<OperationRow>(sql`
    select operation, min(at) as at, min(actor) as actor, count(distinct subject) as changes, min(seq) as first
    from journal where kind like 'memory.%' group by operation order by max(seq) desc limit ${limit}`)
  const summaries: OperationSummary[] = []
  for (const row of rows) summaries.push(await summarize(on, row))
  return summaries
}

async function summarize(on: Reader, row: OperationRow): Promise<OperationSummary> {
  const [first] = await readJournal(on, {
    after: row.first - 1,
    operation: row.operation,
    kind: "memory.",
    limit: 1,
  })
  const [undo] = await readJournal(on, { operation: row.operation, kind: "operation.undone", limit: 1 })
  return {
    operation: row.operation,
    at: row.at,
    actor: row.actor,
    changes: row.changes,
    kind: first?.kind ?? "memory.saved",
    undone: await isUndone(on, row.operation),
    undoes: undo?.subject ?? null,
  }
}

/** An operation is undone while an undo of it stands that was not itself undone. */
async function isUndone(on: Reader, operation: string): Promise<boolean> {
  const [last] = await readJournal(on, {
    subject: operation,
    kind: "operation.undone",
    limit: 1,
    newestFirst: true,
  })
  return last !== undefined && !(await isUndone(on, last.operation))
}

export interface Undone {
  /** The operation that was taken back. */
  undid: string
  /** The operation that did so; undoing it brings everything back. */
  operation: string
  changes: number
  summary: string
}

/** Takes back one operation, by default the newest that still stands; refuses if newer changes would be lost. */
export async function undo(
  needs: { db: Database; clock: Clock },
  by: By,
  operation?: string,
): Promise<Undone> {
  return needs.db.write(async (transaction) => {
    const [again] = await readJournal(transaction, {
      operation: by.operation,
      kind: "operation.undone",
      limit: 1,
    })
    if (again) return again.data as Undone
    const target = operation ?? (await newestStanding(transaction))
    const entries = await readJournal(transaction, { operation: target, kind: "memory.", limit: 10_000_000 })
    await refuseImpossible(transaction, target, entries)
    const changes = await takeBack(transaction, entries, needs.clock.now(), by)
    const undone: Undone = {
      undid: target,
      operation: by.operation,
      changes,
      summary: describe(entries, changes),
    }
    const data = { ...undone }
    await appendEntry(transaction, needs.clock.now(), {
      ...by,
      kind: "operation.undone",
      subject: target,
      data,
    })
    return undone
  })
}

async function newestStanding(transaction: Transaction): Promise<string> {
  for (let limit = 20; ; limit *= 4) {
    const operations = await listOperations(transaction, limit)
    const standing = operations.find((candidate) => !candidate.undone && candidate.undoes === null)
    if (standing) return standing.operation
    if (operations.length < limit) throw new UserError("not-found", "There is nothing to undo.")
  }
}

async function refuseImpossible(
  transaction: Transaction,
  target: string,
  entries: JournalEntry[],
): Promise<void> {
  if (entries.length === 0) {
    throw new UserError(
      "not-found",
      `${target} changed no memory; \`reverie undo --list\` shows what can be undone.`,
    )
  }
  if (await isUndone(transaction, target)) {
    throw new UserError(
      "conflict",
      `${target} is undone already; \`reverie undo --list\` shows what still stands.`,
    )
  }
}

/** What an operation did to one memory altogether. */
interface NetChange {
  before: Memory | null
  after: Memory | null
}

function netChanges(entries: JournalEntry[]): Map<string, NetChange> {
  const net = new Map<string, NetChange>()
  for (const entry of entries) {
    const images = entry.data as NetChange
    const id = entry.subject ?? ""
    const earlier = net.get(id)
    net.set(id, { before: earlier === undefined ? images.before : earlier.before, after: images.after })
  }
  return net
}

async function takeBack(
  transaction: Transaction,
  entries: JournalEntry[],
  at: number,
  by: By,
): Promise<number> {
  const net = netChanges(entries)
  for (const [id, { before, after }] of [...net].reverse()) {
    const current = (await findMemory(transaction, id)) ?? null
    if (current?.version !== after?.version) await refuseChanged(transaction, id)
    await changeMemory(transaction, { kind: "memory.restored", before: current, after: before, at, by })
  }
  return net.size
}

async function refuseChanged(transaction: Transaction, id: string): Promise<never> {
  const [last] = await readJournal(transaction, { subject: id, kind: "memory.", limit: 1, newestFirst: true })
  const message = `${id} was changed again since, by ${last?.operation}; undo that first.`
  throw new UserError("conflict", message)
}

function describe(entries: JournalEntry[], changes: number): string {
  const [first] = entries
  const images = first?.data as NetChange | undefined
  if (changes > 1) return `${changes} memories`
  return (images?.after ?? images?.before)?.content ?? ""
}
