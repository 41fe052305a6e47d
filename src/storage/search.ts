import type { Sql } from "./sql.ts"

/** One memory found, with a score that only compares within the same answer; higher is better. */
export interface Found {
  id: string
  score: number
}

interface TextSearch {
  /** Words as they stand in the query, at least one; each may match alone, more matches rank higher. */
  words: readonly string[]
  /** A condition on `memories m` that every result fulfils. */
  where: Sql
  limit: number
}

/** What the two databases cannot share: full text and nearest vectors. */
export interface SearchIndex {
  fullText(search: TextSearch): Promise<Found[]>
}

/** The words of a text, for full-text search: runs of letters and digits, lower case, each once. */
export function wordsOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .normalize("NFKC")
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return [...new Set(words)].slice(0, 64)
}
