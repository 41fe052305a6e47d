import { readJournal, rewriteEntries } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Transaction } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"

/** What stands in the journal instead of a purged text. */
const note = "[purged]"

/**
 * Takes the texts of memories out of the journal. Its entries stay, with their numbers and times. `done` are the
 * operations that earlier calls have seen to: one of an import may have touched everything.
 */
export async function blankJournal(
  transaction: Transaction,
  ids: readonly string[],
  done: Set<string>,
): Promise<void> {
  const limit = Number.MAX_SAFE_INTEGER
  const where = sql`subject in ${sqlList(ids)}`
  const rows = await readJournal(transaction, { kind: "memory.", where, limit })
  for (const { seq, data } of rows) {
    const { before, after } = data as { before?: Memory | null; after?: Memory | null }
    await rewrite(transaction, seq, { before: blank(before), after: blank(after), purged: true })
  }
  const operations = [...new Set(rows.map(({ operation }) => operation))].filter((one) => !done.has(one))
  await blankUndos(transaction, operations)
  for (const operation of operations) done.add(operation)
}

async function rewrite(transaction: Transaction, seq: number, data: object): Promise<void> {
  await rewriteEntries(transaction, sql`seq = ${seq}`, data)
}

/** An image without anything that somebody wrote. */
function blank(image: Memory | null | undefined): Memory | null {
  if (!image) return null
  const unsaid = { content: note, tags: [], triggers: [], details: {} }
  return { ...image, ...unsaid, sourceId: null, sessionId: null, audience: null }
}

/** An undo tells in words what it took back. */
async function blankUndos(transaction: Transaction, operations: readonly string[]): Promise<void> {
  const where = sql`operation in ${sqlList(operations)} and kind = 'operation.undone'`
  for (const { seq, data } of await readJournal(transaction, { where, limit: Number.MAX_SAFE_INTEGER })) {
    await rewrite(transaction, seq, { ...(data as object), summary: note })
  }
}
