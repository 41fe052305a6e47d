import { lexicon } from "./lexicon.ts"
import type { Token } from "./token.ts"

/**
 * How many words have for certain nothing to do with any of the others: no list knows them, none is written like them,
 * and none begins or ends as they do, as words with a prefix that denies would.
 */
export function countStrange(tokens: readonly Token[], others: readonly Token[]): number {
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
