import { kindBegins } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Transaction } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"

/** What stands in the journal in place of a purged text. */
const note = "[purged]"

interface Row {
  seq: number
  operation: string
  data: string
}

/**
 * Takes the texts of memories out of the journal. Its entries stay, with their numbers and times. `done` are the
 * operations that earlier calls have seen to: one of an import may have touched everything.
 */
export async function blankJournal(
  transaction: Transaction,
  ids: readonly string[],
  done: Set<string>,
): Promise<void> {
  const rows = await transaction.read<Row>(sql`
    select seq, operation, data from journal where subject in ${sqlList(ids)} and ${kindBegins("memory.")}`)
  for (const { seq, data } of rows) {
    const { before, after } = JSON.parse(data) as { before?: Memory | null; after?: Memory | null }
    await rewrite(transaction, seq, { before: blank(before), after: blank(after), purged: true })
  }
  const operations = [...new Set(rows.map(({ operation }) => operation))].filter((one) => !done.has(one))
  await blankUndos(transaction, operations)
  for (const operation of operations) done.add(operation)
}

async function rewrite(transaction: Transaction, seq: number, data: object): Promise<void> {
  await transaction.run(sql`update journal set data = ${JSON.stringify(data)} where seq = ${seq}`)
}

/** An image without anything that somebody wrote. */
function blank(image: Memory | null | undefined): Memory | null {
  if (!image) return null
  const unsaid = { content: note, tags: [], triggers: [], details: {} }
  return { ...image, ...unsaid, sourceId: null, sessionId: null, audience: null }
}

/** An undo tells in words what it took back. */
async function blankUndos(transaction: Transaction, operations: readonly string[]): Promise<void> {
  const rows = await transaction.read<Row>(sql`
    select seq, operation, data from journal
    where operation in ${sqlList(operations)} and kind = 'operation.undone'`)
  for (const { seq, data } of rows) {
    await rewrite(transaction, seq, { ...JSON.parse(data), summary: note })
  }
}
