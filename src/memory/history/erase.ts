import type { Database } from "../../storage/database.ts"
import { appendEntries, type By, readJournal, rewriteEntries } from "../../storage/journal.ts"
import { countEntries } from "../../storage/journal-queries.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { requireProject } from "../model/project.ts"
import { batchSize } from "../model/store/batch.ts"
import { requireMemory } from "../model/store/browse.ts"
import { partsOfText } from "../model/store/parts-of-text.ts"
import { writeMemories } from "../model/store/store.ts"
import { purgeSpellings } from "../model/words/spelling.ts"
import { purgedKind } from "./undo.ts"

/** Which memories to purge. */
export type PurgeChoice =
  | { ids: readonly string[] }
  | { forgotten: true }
  | { project: string }
  | { all: true }

/** How many memories a purge would delete. */
export async function countPurge(
  needs: Pick<MemoryCore, "db" | "projects">,
  choice: PurgeChoice,
): Promise<number> {
  const where = await chosenMemories(needs, choice)
  const [row] = await needs.db.read<{ found: number }>(
    sql`select count(*) as found from memories m where ${where}`,
  )
  return row?.found ?? 0
}

interface Erasing {
  search: Database["search"]
  /** A condition on `memories m`. */
  where: Sql
  /** Operations whose entries earlier batches rewrote. */
  done: Set<string>
  at: number
  by: By
}

/** Purges the next batch of memories: rows, vectors, edges, spellings, and their texts in the journal. */
export async function eraseMemories(
  transaction: Transaction,
  { search, where, done, at, by }: Erasing,
): Promise<{ ids: string[]; isMore: boolean }> {
  const rows = await transaction.read<{ id: string; content: string }>(
    sql`select m.id as id, m.content as content from memories m where ${where} order by m.seq limit ${batchSize}`,
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { ids, isMore: false }
  await eraseClusterNames(transaction, ids)
  await search.eraseVectors(transaction, ids)
  await writeMemories(
    transaction,
    ids.map((id) => ({ id, image: null })),
  )
  await purgeSpellings(
    transaction,
    rows.map(({ content }) => content),
  )
  await eraseJournalTexts(transaction, ids, done)
  await transaction.run(sql`delete from import_keys where memory in ${sqlList(ids)}`)
  const entry = { ...by, at, kind: purgedKind, data: { purged: true } } as const
  await appendEntries(
    transaction,
    ids.map((subject) => ({ ...entry, subject })),
  )
  return { ids, isMore: ids.length === batchSize }
}

/** How many memories an operation has purged. */
export function countPurged(on: Reader, operation: string): Promise<number> {
  return countEntries(on, sql`operation = ${operation} and kind = ${purgedKind}`)
}

/** The condition on `memories m` for a choice. `by` is the purge that is being repeated, if it is. */
export async function chosenMemories(
  needs: Pick<MemoryCore, "db" | "projects">,
  choice: PurgeChoice,
  by?: By,
): Promise<Sql> {
  if ("all" in choice) return sql`true`
  if ("forgotten" in choice) return sql`m.status = 'forgotten'`
  if ("project" in choice) {
    return sql`m.project in ${sqlList(await requireProject(needs, choice.project))}`
  }
  const ids: string[] = []
  for (const id of choice.ids) ids.push(...(await idsFor(needs.db, id, by)))
  return sql`m.id in ${sqlList(ids)}`
}

/** The ids of a memory and of the other parts of its text. Finds a memory that this operation has already purged, too. */
async function idsFor(on: Reader, idOrPart: string, by: By | undefined): Promise<string[]> {
  const done = by ? await readJournal(on, { operation: by.operation, kind: purgedKind, limit: 10_000 }) : []
  const earlier = done.find(({ subject }) => subject?.startsWith(idOrPart) || subject?.endsWith(idOrPart))
  if (earlier?.subject) return [earlier.subject]
  return (await partsOfText(on, await requireMemory(on, idOrPart))).map(({ id }) => id)
}

/** A cluster's name is made of its members' words. */
async function eraseClusterNames(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const edges = await transaction.read<{ target: string }>(sql`
    select distinct target from edges where kind = 'in-cluster' and source in ${sqlList(ids)}`)
  const clusters = edges.map(({ target }) => target.replace(/^cluster:/, ""))
  if (clusters.length === 0) return
  await transaction.run(sql`update clusters set name = id where id in ${sqlList(clusters)}`)
}

/** Replaces purged texts in the journal. */
const note = "[purged]"

/**
 * Removes the texts of memories from the journal. The entries stay, with their numbers and times. `done` collects the
 * operations that earlier calls handled, since one import may have touched every memory.
 */
async function eraseJournalTexts(
  transaction: Transaction,
  ids: readonly string[],
  done: Set<string>,
): Promise<void> {
  const limit = Number.MAX_SAFE_INTEGER
  const where = sql`subject in ${sqlList(ids)}`
  const rows = await readJournal(transaction, { kind: "memory.", where, limit })
  for (const { seq, data } of rows) {
    const { before, after } = data as { before?: Memory | null; after?: Memory | null }
    await rewriteEntries(transaction, sql`seq = ${seq}`, {
      before: withoutTexts(before),
      after: withoutTexts(after),
      purged: true,
    })
  }
  const operations = [...new Set(rows.map(({ operation }) => operation))].filter((one) => !done.has(one))
  await eraseUndoSummaries(transaction, operations)
  for (const operation of operations) done.add(operation)
}

/** An image without any text. */
function withoutTexts(image: Memory | null | undefined): Memory | null {
  if (!image) return null
  const texts = { content: note, tags: [], triggers: [], details: {} }
  return { ...image, ...texts, sourceId: null, sessionId: null, audience: null }
}

/** The entry of an undo quotes what it restored. */
async function eraseUndoSummaries(transaction: Transaction, operations: readonly string[]): Promise<void> {
  const where = sql`operation in ${sqlList(operations)} and kind = 'operation.undone'`
  for (const { seq, data } of await readJournal(transaction, { where, limit: Number.MAX_SAFE_INTEGER })) {
    await rewriteEntries(transaction, sql`seq = ${seq}`, { ...(data as object), summary: note })
  }
}
