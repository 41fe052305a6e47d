import type { Tree } from "./tree.ts"

/** Which words the code has, looked up together where it is known beforehand which are wanted. */
export interface Words {
  /** Looks these up at once; finding out one by one takes as long for each. */
  prepare(words: readonly string[]): Promise<void>
  /** Whether some file of code has the word; undefined if that cannot be told in time. */
  has(word: string): Promise<boolean | undefined>
}

/** Words that are in any of some trees. */
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
