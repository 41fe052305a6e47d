import { nextTurn, sleep } from "../../../base/clock.ts"
import { messageOf } from "../../../base/errors.ts"
import type { Core } from "../../../storage/core.ts"
import type { Database } from "../../../storage/database.ts"
import { searchText } from "../../../storage/search.ts"
import { sql, sqlList } from "../../../storage/sql.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { batchSize } from "../store/batch.ts"
import { noteSpellings } from "./spelling.ts"
import { forgetTerms, indexTerms } from "./word-index.ts"

interface DueRow {
  seq: number
  id: string | null
  content: string | null
}

/** Whoever opens a memory waits no longer than this; the rest is noted beside whatever else is done. */
const patienceMs = 2000

/**
 * Notes the words of memories that an older Reverie stored, a batch at a time. Resolves once all are noted or somebody has
 * waited long enough, with a function that stops it; they are found as before until then.
 */
export async function startNotingWords({ db, log, clock }: Core): Promise<() => Promise<void>> {
  let isStopped = false
  const work = noteWordsDue({ db, isStopped: () => isStopped }).then(
    (noted) => {
      if (noted > 0) log.info("Noted the words of memories from before", { memories: noted })
    },
    (error) => log.warn("The words of memories from before could not be noted", { reason: messageOf(error) }),
  )
  const waited = new AbortController()
  await Promise.race([work, sleep(clock, patienceMs, waited.signal)])
  waited.abort()
  return async () => {
    isStopped = true
    await work
  }
}

/** Notes all that are due, or as many as it can before it is stopped; tells how many. */
async function noteWordsDue({ db, isStopped }: { db: Database; isStopped(): boolean }): Promise<number> {
  let noted = 0
  while (!isStopped()) {
    const [due] = await db.read<{ seq: number }>(sql`select seq from words_due limit 1`)
    if (due === undefined) break
    noted += await db.write(noteSome)
    await nextTurn()
  }
  return noted
}

async function noteSome(transaction: Transaction): Promise<number> {
  const rows = await transaction.read<DueRow>(sql`
    select d.seq as seq, m.id as id, m.content as content from words_due d
    left join memories m on m.seq = d.seq order by d.seq limit ${batchSize}`)
  const memories = rows.flatMap(({ id, content }) =>
    id === null || content === null ? [] : [{ id, content }],
  )
  const others = memories.filter(({ content }) => searchText(content) !== null)
  await forgetTerms(
    transaction,
    others.map(({ id }) => id),
  )
  for (const { id, content } of others) {
    await transaction.run(sql`update memories set search_text = ${searchText(content)} where id = ${id}`)
  }
  await indexTerms(transaction, others)
  await noteSpellings(
    transaction,
    memories.map(({ content }) => content),
  )
  await transaction.run(sql`delete from words_due where seq in ${sqlList(rows.map(({ seq }) => seq))}`)
  return rows.length
}
