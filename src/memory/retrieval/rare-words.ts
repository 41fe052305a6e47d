import type { Lexicon } from "../lexicon.ts"
import { termOf } from "../terms.ts"

/** Words that together match no more memories than this are looked for; commoner ones only count in the ranking. */
const mostMatches = 4000

/** The rarest of these words, as many as can be searched for quickly; at least one. */
export function rareWords(words: readonly string[], { counts }: Lexicon, most = mostMatches): string[] {
  const counted = words.map((word) => ({ word, count: counts.get(termOf(word)) ?? 0 }))
  counted.sort((a, b) => a.count - b.count)
  const chosen: string[] = []
  let matches = 0
  for (const { word, count } of counted) {
    matches += count
    if (chosen.length > 0 && matches > most) break
    chosen.push(word)
  }
  return chosen
}
