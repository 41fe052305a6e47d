import { settledWithin, yieldToEventLoop } from "../../../base/clock.ts"
import { messageOf } from "../../../base/errors.ts"
import type { Core } from "../../../storage/core.ts"
import type { Database } from "../../../storage/database.ts"
import { searchText } from "../../../storage/search.ts"
import { sql, sqlList } from "../../../storage/sql.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { batchSize } from "../store/batch.ts"
import { indexSpellings } from "./spelling.ts"
import { indexTerms, unindexTerms } from "./word-index.ts"

/** Opening the store waits at most this long; the rest is indexed in the background. */
const maxWaitMs = 2000

/**
 * Indexes the words of memories that an older version stored, in batches. Resolves when all are indexed or after
 * `maxWaitMs`, with a function that stops the work. Until then search finds those memories as the older version did.
 */
export async function startIndexingDue({ db, log, clock }: Core): Promise<() => Promise<void>> {
  let isStopped = false
  const work = indexAllDue({ db, isStopped: () => isStopped }).then(
    (indexed) => {
      if (indexed > 0) log.info("Indexed the words of memories of an older version", { memories: indexed })
    },
    (error) =>
      log.warn("Could not index the words of memories of an older version", { reason: messageOf(error) }),
  )
  await settledWithin(clock, maxWaitMs, work)
  return async () => {
    isStopped = true
    await work
  }
}

/** Indexes all that are due until it is stopped; returns how many. */
async function indexAllDue({ db, isStopped }: { db: Database; isStopped(): boolean }): Promise<number> {
  let indexed = 0
  while (!isStopped()) {
    const [due] = await db.read<{ seq: number }>(sql`select seq from words_due limit 1`)
    if (due === undefined) break
    indexed += await db.write(indexBatch)
    await yieldToEventLoop()
  }
  return indexed
}

async function indexBatch(transaction: Transaction): Promise<number> {
  const rows = await transaction.read<{ seq: number; id: string | null; content: string | null }>(sql`
    select d.seq as seq, m.id as id, m.content as content from words_due d
    left join memories m on m.seq = d.seq order by d.seq limit ${batchSize}`)
  const memories = rows.flatMap(({ id, content }) =>
    id === null || content === null ? [] : [{ id, content }],
  )
  const others = memories.filter(({ content }) => searchText(content) !== null)
  await unindexTerms(
    transaction,
    others.map(({ id }) => id),
  )
  for (const { id, content } of others) {
    await transaction.run(sql`update memories set search_text = ${searchText(content)} where id = ${id}`)
  }
  await indexTerms(transaction, others)
  await indexSpellings(
    transaction,
    memories.map(({ content }) => content),
  )
  await transaction.run(sql`delete from words_due where seq in ${sqlList(rows.map(({ seq }) => seq))}`)
  return rows.length
}
