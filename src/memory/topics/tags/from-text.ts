import { stopWords, wordsIn } from "../../../storage/search.ts"
import { singular } from "./variants.ts"

/** Finds which of some tags a text names. */
export type TagFinder = (text: string) => string[]

/** Prepares looking for tags: a tag is named where all its words stand beside each other, whatever is between them. */
export function createTagFinder(tags: Iterable<string>): TagFinder {
  const byFirst = new Map<string, { tag: string; words: string[] }[]>()
  for (const tag of tags) {
    const words = wordsIn(tag).map(singular)
    const [first] = words
    if (first === undefined || !isTelling(words)) continue
    const known = byFirst.get(first) ?? []
    known.push({ tag, words })
    byFirst.set(first, known)
  }
  return (text) => {
    const said = wordsIn(text).map(singular)
    const found = said.flatMap((word, start) =>
      (byFirst.get(word) ?? []).filter(({ words }) =>
        words.every((one, index) => said[start + index] === one),
      ),
    )
    return [...new Set(found.map(({ tag }) => tag))].sort()
  }
}

/** A single short or common word is said without being meant: go, it, new. */
function isTelling(words: readonly string[]): boolean {
  return words.length > 1 || words.every((word) => word.length > 2 && !stopWords.has(word))
}
