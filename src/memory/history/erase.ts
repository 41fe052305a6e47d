import type { Database } from "../../storage/database.ts"
import { appendEntries, type By, readJournal } from "../../storage/journal.ts"
import { countEntries } from "../../storage/journal-queries.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { requireProject } from "../model/project.ts"
import { batchSize } from "../model/store/batch.ts"
import { requireMemory } from "../model/store/browse.ts"
import { partsWith } from "../model/store/parts-of-text.ts"
import { putMemories } from "../model/store/store.ts"
import { purgeSpellings } from "../model/words/spelling.ts"
import { blankJournal } from "./erase-journal.ts"
import { purgedKind } from "./history.ts"

/** Which memories are to go: exactly one of these. */
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

/** What erasing goes through, a batch at a time. */
interface Erasing {
  search: Database["search"]
  /** Which memories go: a condition on `memories m`. */
  where: Sql
  /** Operations whose entries earlier batches have seen to. */
  done: Set<string>
  at: number
  by: By
}

/**
 * Deletes the next memories for good: rows, vectors, edges, words, and what the journal says of them. Tells their ids, and
 * whether there may be more.
 */
export async function eraseMemories(
  transaction: Transaction,
  { search, where, done, at, by }: Erasing,
): Promise<{ ids: string[]; isMore: boolean }> {
  const rows = await transaction.read<{ id: string; content: string }>(
    sql`select m.id as id, m.content as content from memories m where ${where} order by m.seq limit ${batchSize}`,
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { ids, isMore: false }
  await blankClusters(transaction, ids)
  await search.eraseVectors(transaction, ids)
  await putMemories(
    transaction,
    ids.map((id) => ({ id, image: null })),
  )
  await purgeSpellings(
    transaction,
    rows.map(({ content }) => content),
  )
  await blankJournal(transaction, ids, done)
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

/** The condition on `memories m` for what is to go; `by` is the purge, where it has begun. */
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

/** The whole id, with those of the other parts of its text; also of a memory that this very operation has purged already. */
async function idsFor(on: Reader, idOrPart: string, by: By | undefined): Promise<string[]> {
  const done = by ? await readJournal(on, { operation: by.operation, kind: purgedKind, limit: 10_000 }) : []
  const earlier = done.find(({ subject }) => subject?.startsWith(idOrPart) || subject?.endsWith(idOrPart))
  if (earlier?.subject) return [earlier.subject]
  return (await partsWith(on, await requireMemory(on, idOrPart))).map(({ id }) => id)
}

/** A cluster's name is made of its members' words. */
async function blankClusters(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const edges = await transaction.read<{ target: string }>(sql`
    select distinct target from edges where kind = 'in-cluster' and source in ${sqlList(ids)}`)
  const clusters = edges.map(({ target }) => target.replace(/^cluster:/, ""))
  if (clusters.length === 0) return
  await transaction.run(sql`update clusters set name = id where id in ${sqlList(clusters)}`)
}
