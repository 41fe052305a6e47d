import { stopWords, tokenize } from "../../../storage/search.ts"
import { singular } from "./variants.ts"

/** Returns a function that finds the tags a text names: all words of the tag in a row, with any separators. */
export function createTagFinder(tags: Iterable<string>): (text: string) => string[] {
  const byFirst = new Map<string, { tag: string; words: string[] }[]>()
  for (const tag of tags) {
    const words = tokenize(tag).map(singular)
    const [first] = words
    if (first === undefined || !isSpecific(words)) continue
    const known = byFirst.get(first) ?? []
    known.push({ tag, words })
    byFirst.set(first, known)
  }
  return (text) => {
    const all = tokenize(text).map(singular)
    const found = all.flatMap((word, start) =>
      (byFirst.get(word) ?? []).filter(({ words }) =>
        words.every((one, index) => all[start + index] === one),
      ),
    )
    return [...new Set(found.map(({ tag }) => tag))].sort()
  }
}

/** A single short or common word (go, it, new) appears in texts that are not about it. */
function isSpecific(words: readonly string[]): boolean {
  return words.length > 1 || words.every((word) => word.length > 2 && !stopWords.has(word))
}
