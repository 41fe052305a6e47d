import type { Found, SearchIndex } from "../search.ts"
import { sql } from "../sql.ts"
import type { Reader } from "../transaction.ts"
import { eraseVectors } from "./erase.ts"
import { createSqliteVectors } from "./vectors.ts"

/** At most this many matches, the newest, are ranked: very common words carry little information. */
const mostRanked = 4000

/** Full text by FTS5 with BM25, nearest vectors by our own scan. */
export function createSqliteSearch(needs: Reader): SearchIndex {
  return {
    ...createSqliteVectors(needs),
    eraseVectors: eraseVectors,
    fullText({ words, where, limit }) {
      const match = words.map((word) => `"${word}"`).join(" OR ")
      return needs.read<Found>(sql`
        select id, score from (
          select m.id as id, -bm25(memory_text) as score
          from memory_text join memories m on m.seq = memory_text.rowid
          where memory_text match ${match} and ${where}
          order by memory_text.rowid desc limit ${mostRanked}
        ) order by score desc, id limit ${limit}`)
    },
  }
}
