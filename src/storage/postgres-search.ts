import type { Reader } from "./database.ts"
import type { Found, SearchIndex } from "./search.ts"
import { sql } from "./sql.ts"

/** Full text by tsvector. Its rank is not BM25, but orders well enough within one answer. */
export function createPostgresSearch(needs: Reader): SearchIndex {
  return {
    fullText({ words, where, limit }) {
      const query = words.map((word) => `'${word}'`).join(" | ")
      return needs.read<Found>(sql`
        select m.id as id, ts_rank_cd(m.text_index, q, 1) as score
        from memories m, to_tsquery('english', ${query}) q
        where m.text_index @@ q and ${where}
        order by score desc, m.id limit ${limit}`)
    },
  }
}
