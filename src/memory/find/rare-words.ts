import { termOf } from "../../language/terms.ts"
import type { Lexicon } from "../model/words/word-index.ts"

/** Words that together match no more memories than this are looked for; commoner ones only count in the ranking. */
const mostMatches = 4000

/** The rarest of these words, as many as can be searched for quickly, at least one; and how much each tells. */
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
