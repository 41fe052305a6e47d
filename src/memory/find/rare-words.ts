import { termOf } from "../../language/terms.ts"
import type { Lexicon } from "../model/words/word-index.ts"

/** Full-text search uses the rarest words that together match at most this many memories; others only affect the ranking. */
const mostMatches = 4000

/** The rarest of these words, at least one, with their weights in full-text search. */
export function rareWords(
  words: readonly string[],
  { counts, memories }: Lexicon,
  most = mostMatches,
): { words: string[]; weights: number[] } {
  const counted = words.map((word) => ({ word, count: counts.get(termOf(word)) ?? 0 }))
  counted.sort((a, b) => a.count - b.count)
  const chosen: typeof counted = []
  let matches = 0
  for (const one of counted) {
    matches += one.count
    if (chosen.length > 0 && matches > most) break
    chosen.push(one)
  }
  return {
    words: chosen.map(({ word }) => word),
    weights: chosen.map(({ count }) => Math.log(1 + (memories + 1) / (count + 1))),
  }
}
