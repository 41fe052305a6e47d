import { UserError } from "../../base/errors.ts"
import type { Core } from "../../storage/core.ts"
import { appendEntry, type By, type JournalKind, kindBegins, readJournal } from "../../storage/journal.ts"
import { newestOperations } from "../../storage/journal-queries.ts"
import { earlierResult } from "../../storage/operation.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { findMemories } from "../model/store/store.ts"
import { isUndone } from "../model/store/undone.ts"
import {
  changedSince,
  entriesBackwards,
  type MemoryImages,
  revertOperation,
  type Undone,
  undoable,
} from "./undo.ts"

/** The result of undoing a cycle or an agent session. `undid` is its id; `operation` is the undo, which can be undone. */
export interface UndoneGroup extends Undone {
  /** The operations that were undone, newest first. */
  operations: string[]
  /** Those that could not be undone, because newer changes build on them. */
  kept: { operation: string; reason: string }[]
}

/** Whether an id is that of a cycle; the ids of its operations have a number after it. */
export function isCycleId(name: string): boolean {
  return name.startsWith("cycle_") && !name.includes("-")
}

/** Undoes everything that a cycle changed. */
export function undoCycle(
  needs: Pick<Core, "db" | "clock">,
  by: By,
  cycle: string,
  others: readonly string[] = [],
  writeEntry?: OperationGroup["writeEntry"],
): Promise<UndoneGroup> {
  const missing = `There is no cycle ${cycle} that changed a memory; \`reverie cycles\` lists them.`
  return undoGroup(needs, by, { id: cycle, undoneKind: "cycle.undone", others, missing, writeEntry })
}

/** Undoes everything that an agent did in a session, as one operation. */
export function undoAgentSession(
  needs: Pick<Core, "db" | "clock">,
  by: By,
  session: string,
): Promise<UndoneGroup> {
  const missing = `There is no agent session ${session} that changed a memory; \`reverie undo --list\` shows them.`
  return undoGroup(needs, by, { id: session, undoneKind: "agent-session.undone", missing })
}

/** The operations whose ids begin with that of a cycle or an agent session. */
interface OperationGroup {
  id: string
  /** The kind of the entry that records the undo. */
  undoneKind: JournalKind
  /** More operations that belong to it. */
  others?: readonly string[]
  /** The error message if it has no operations. */
  missing: string
  /** Writes that entry; by default a plain one. */
  writeEntry?: ((transaction: Transaction, at: number, undone: UndoneGroup) => Promise<void>) | undefined
}

/**
 * Undoes a group of operations, newest first, in one transaction and as one operation. Skips what was undone before, and
 * reports as `kept` what newer changes build on.
 */
async function undoGroup(
  needs: Pick<Core, "db" | "clock">,
  by: By,
  group: OperationGroup,
): Promise<UndoneGroup> {
  const { id, undoneKind } = group
  return needs.db.write(async (transaction) => {
    const earlier = await earlierResult(transaction, by, {
      kind: undoneKind,
      read: ([undone]) => undone?.data as UndoneGroup | undefined,
    })
    if (earlier) return earlier
    const undone: UndoneGroup = {
      undid: id,
      operation: by.operation,
      changes: 0,
      summary: "",
      operations: [],
      kept: [],
    }
    const at = needs.clock.now()
    for (const operation of await operationsToUndo(transaction, group)) {
      const reason = await reasonNotUndoable(transaction, operation)
      if (reason !== undefined) {
        undone.kept.push({ operation, reason })
        continue
      }
      const { changes, summary } = await revertOperation(transaction, operation, { at, by })
      const data = { undid: operation, operation: by.operation, changes, summary }
      await appendEntry(transaction, { ...by, at, kind: "operation.undone", subject: operation, data })
      undone.operations.push(operation)
      undone.changes += changes
    }
    if (undone.operations.length === 0) {
      const reason = undone.kept[0]?.reason ?? ""
      throw new UserError("conflict", `Nothing of ${id} could be undone: ${reason}`)
    }
    undone.summary = `all that ${id} changed`
    if (undone.kept.length > 0) undone.summary = `a part of what ${id} changed`
    if (group.writeEntry) await group.writeEntry(transaction, at, undone)
    else await appendEntry(transaction, { ...by, at, kind: undoneKind, subject: id, data: undone })
    return undone
  })
}

/** A group's operations that changed something and are not undone, newest first. */
async function operationsToUndo(
  transaction: Transaction,
  { id, others = [], missing }: OperationGroup,
): Promise<string[]> {
  const prefix = `${id}-`
  const [started] = await readJournal(transaction, { subject: id, kind: "cycle.started", limit: 1 })
  const isOurs = sql`seq > ${started?.seq ?? 0} and imported = 0
    and (substr(operation, 1, ${prefix.length}) = ${prefix} or operation in ${sqlList(["", ...others])})
    and ${kindBegins(undoable)}`
  const rows = await newestOperations(transaction, isOurs, Number.MAX_SAFE_INTEGER)
  if (rows.length === 0) throw new UserError("not-found", missing)
  const active: string[] = []
  for (const { operation } of rows) if (!(await isUndone(transaction, operation))) active.push(operation)
  if (active.length === 0) throw new UserError("conflict", `${id} is already undone.`)
  return active
}

/** Why an operation cannot be undone; undefined if it can. */
async function reasonNotUndoable(transaction: Transaction, operation: string): Promise<string | undefined> {
  const seen = new Set<string>()
  for await (const entries of entriesBackwards(transaction, operation, "memory.")) {
    const current = await findMemories(transaction, [...new Set(entries.map(({ subject }) => subject ?? ""))])
    for (const { subject, data } of entries) {
      const id = subject ?? ""
      const { after, purged } = data as MemoryImages
      if (purged) return `${id} was purged since.`
      // Only the operation's last change of a memory must match its current version.
      if (!seen.has(id) && current.get(id)?.version !== after?.version) return changedSince(transaction, id)
      seen.add(id)
    }
  }
  return undefined
}
