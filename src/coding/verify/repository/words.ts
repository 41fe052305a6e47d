import type { Tree } from "./tree.ts"

/** Which words the code contains. Searching for many at once takes as long as for one. */
export interface Words {
  /** Searches for several words at once. */
  prepare(words: readonly string[]): Promise<void>
  /** Whether a code file contains the word; undefined if the search takes too long. */
  has(word: string): Promise<boolean | undefined>
}

/** Opens a search for words in any of these trees. */
export function openWords(trees: readonly Tree[]): Words {
  const known = new Map<string, boolean | undefined>()
  const prepare = async (words: readonly string[]) => {
    let wanted = [...new Set(words)].filter((word) => !known.has(word))
    for (const tree of trees) {
      if (wanted.length === 0) return
      for (const [word, found] of await tree.findWords(wanted)) known.set(word, found)
      wanted = wanted.filter((word) => known.get(word) === false)
    }
  }
  return {
    prepare,
    async has(word) {
      await prepare([word])
      return known.get(word)
    },
  }
}
