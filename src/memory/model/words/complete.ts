import { sql } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"

/** Shorter prefixes match too many words. */
const shortest = 3

/** Replaces an unfinished last word of a query by the most common known word that begins with it. */
export async function completeLastWord(on: Reader, query: string): Promise<string> {
  const begun = /[\p{L}\p{N}]+$/u.exec(query)?.[0].toLowerCase() ?? ""
  if (begun.length < shortest) return query
  const rows = await on.read<{ word: string }>(sql`
    select v.word as word from vocabulary v join terms t on t.term = v.term
    where v.word like ${`${begun}%`} order by case when v.word = ${begun} then 0 else 1 end, t.memories desc, v.word limit 1`)
  const word = rows[0]?.word
  return word === undefined ? query : query.slice(0, query.length - begun.length) + word
}
