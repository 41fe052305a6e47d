import { lexicon } from "../read/lexicon.ts"
import type { Token } from "../read/token.ts"

/**
 * The number of words that are certainly unrelated to all others: in no list, not equal, and with no common beginning
 * or end, as words with a negating prefix would have.
 */
export function countUnrelated(tokens: readonly Token[], others: readonly Token[]): number {
  const seen = new Set<string>()
  for (const { key } of others)
    seen
      .add(key)
      .add(`${key.slice(0, 3)}-`)
      .add(`-${key.slice(-3)}`)
  let count = 0
  for (const { key, form, link } of tokens) {
    if (link || form !== "word" || seen.has(key) || /\d/.test(key) || lexicon().knows(key)) continue
    if (!seen.has(`${key.slice(0, 3)}-`) && !seen.has(`-${key.slice(-3)}`)) count += 1
  }
  return count
}
