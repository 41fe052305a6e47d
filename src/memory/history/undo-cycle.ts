import type { Clock } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import type { Database } from "../../storage/database.ts"
import { appendEntry, type By, type JournalKind, kindBegins, readJournal } from "../../storage/journal.ts"
import { newestOperations } from "../../storage/journal-queries.ts"
import { earlierResult } from "../../storage/operation.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { batchSize } from "../model/store/batch.ts"
import { findMemories } from "../model/store/store.ts"
import { isUndone } from "../model/store/undone.ts"
import { changedSince, type Images, takeBack, type Undone, undoable } from "./history.ts"

/** One operation of a group that could not be taken back, and why. */
interface KeptOperation {
  operation: string
  reason: string
}

/** What came of taking back a cycle or a session. `undid` names it; undoing `operation` brings all of it back. */
export interface UndoneGroup extends Undone {
  /** The operations that were taken back, newest first. */
  operations: string[]
  /** Those that something newer builds on. */
  kept: KeptOperation[]
}

/** Whether what was named for an undo is a cycle; its operations have a number after the cycle's id. */
export function isCycleId(name: string): boolean {
  return name.startsWith("cycle_") && !name.includes("-")
}

/** Takes back all that a cycle changed. */
export function undoCycle(
  needs: { db: Database; clock: Clock },
  by: By,
  cycle: string,
  others: readonly string[] = [],
  note?: Group["note"],
): Promise<UndoneGroup> {
  const missing = `There is no cycle ${cycle} that changed a memory; \`reverie cycles\` lists them.`
  return undoGroup(needs, by, { id: cycle, undoneKind: "cycle.undone", others, missing, note })
}

/** Takes back all that an agent did in a session, as one operation. */
export function undoAgentSession(
  needs: { db: Database; clock: Clock },
  by: By,
  session: string,
): Promise<UndoneGroup> {
  const missing = `There is no agent session ${session} that changed a memory; \`reverie undo --list\` shows them.`
  return undoGroup(needs, by, { id: session, undoneKind: "agent-session.undone", missing })
}

/** Operations that belong together: those whose ids begin with the group's. */
interface Group {
  id: string
  /** The entry by which it is known that it was taken back. */
  undoneKind: JournalKind
  /** Operations that count as its own although they are not named after it. */
  others?: readonly string[]
  /** What is said where there are none. */
  missing: string
  /** Writes the entry, with what came of it, in the same transaction. */
  note?: ((transaction: Transaction, at: number, undone: UndoneGroup) => Promise<void>) | undefined
}

/**
 * Takes back all that a group of operations changed, newest first, in one transaction and as one operation, so that one
 * undo brings it back. What was undone before is left out; what something newer builds on stays, and is told.
 */
async function undoGroup(needs: { db: Database; clock: Clock }, by: By, group: Group): Promise<UndoneGroup> {
  const { id, undoneKind, note = noteUndone(by, undoneKind) } = group
  return needs.db.write(async (transaction) => {
    const earlier = await earlierResult(transaction, by, {
      kind: undoneKind,
      read: ([undone]) => undone?.data as UndoneGroup | undefined,
    })
    if (earlier) return earlier
    const standing = await standingOperations(transaction, group)
    const undone: UndoneGroup = {
      undid: id,
      operation: by.operation,
      changes: 0,
      summary: "",
      operations: [],
      kept: [],
    }
    const at = needs.clock.now()
    for (const operation of standing) {
      const reason = await whyNot(transaction, operation)
      if (reason !== undefined) {
        undone.kept.push({ operation, reason })
        continue
      }
      const { changes, summary } = await takeBack(transaction, operation, at, by)
      const data = { undid: operation, operation: by.operation, changes, summary }
      await appendEntry(transaction, { ...by, at, kind: "operation.undone", subject: operation, data })
      undone.operations.push(operation)
      undone.changes += changes
    }
    if (undone.operations.length === 0) throw nothingLeft(id, undone.kept)
    undone.summary = `all that ${id} changed`
    if (undone.kept.length > 0) undone.summary = `a part of what ${id} changed`
    await note(transaction, at, undone)
    return undone
  })
}

/** The entry by which it is known that a group was taken back, and what came of it. */
function noteUndone(by: By, kind: JournalKind) {
  return (transaction: Transaction, at: number, undone: UndoneGroup) =>
    appendEntry(transaction, { ...by, at, kind, subject: undone.undid, data: undone })
}

/** A group's operations that changed something and still stand, newest first. */
async function standingOperations(
  transaction: Transaction,
  { id, others = [], missing }: Group,
): Promise<string[]> {
  const prefix = `${id}-`
  const [started] = await readJournal(transaction, { subject: id, kind: "cycle.started", limit: 1 })
  const isOurs = sql`seq > ${started?.seq ?? 0} and imported = 0
    and (substr(operation, 1, ${prefix.length}) = ${prefix} or operation in ${sqlList(["", ...others])})
    and ${kindBegins(undoable)}`
  const rows = await newestOperations(transaction, isOurs, Number.MAX_SAFE_INTEGER)
  if (rows.length === 0) throw new UserError("not-found", missing)
  const standing: string[] = []
  for (const { operation } of rows) if (!(await isUndone(transaction, operation))) standing.push(operation)
  if (standing.length === 0) throw new UserError("conflict", `${id} is undone already.`)
  return standing
}

/** Why an operation cannot be taken back as things are; undefined where it can. */
async function whyNot(transaction: Transaction, operation: string): Promise<string | undefined> {
  const seen = new Set<string>()
  let before: number | undefined
  for (;;) {
    const entries = await readJournal(transaction, {
      operation,
      kind: "memory.",
      before,
      limit: batchSize,
      newestFirst: true,
    })
    if (entries.length === 0) return undefined
    before = entries.at(-1)?.seq
    const current = await findMemories(transaction, [...new Set(entries.map(({ subject }) => subject ?? ""))])
    for (const { subject, data } of entries) {
      const id = subject ?? ""
      const { after, purged } = data as Images
      if (purged) return `${id} was purged since.`
      // What came before in the same operation leads to this one.
      if (!seen.has(id) && current.get(id)?.version !== after?.version) return changedSince(transaction, id)
      seen.add(id)
    }
  }
}

function nothingLeft(group: string, [first]: readonly KeptOperation[]): UserError {
  return new UserError("conflict", `Nothing of ${group} could be taken back: ${first?.reason ?? ""}`)
}
