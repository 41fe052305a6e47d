import { nextTurn } from "../base/clock.ts"
import type { Log } from "../base/log.ts"
import type { Database } from "../storage/database.ts"
import { searchText } from "../storage/search.ts"
import { sql, sqlList } from "../storage/sql.ts"
import type { Transaction } from "../storage/transaction.ts"
import { batchSize } from "./batch.ts"
import { forgetTerms, indexTerms } from "./lexicon.ts"
import { noteSpellings } from "./spelling.ts"

interface DueRow {
  seq: number
  id: string | null
  content: string | null
}

/** Notes the words of memories that an older Reverie stored, a batch at a time; they are found as before until then. */
export async function noteWordsDue({ db, log }: { db: Database; log: Log }): Promise<void> {
  let noted = 0
  for (;;) {
    const [due] = await db.read<{ seq: number }>(sql`select seq from words_due limit 1`)
    if (due === undefined) break
    noted += await db.write(noteSome)
    await nextTurn()
  }
  if (noted > 0) log.info("Noted the words of memories from before", { memories: noted })
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
