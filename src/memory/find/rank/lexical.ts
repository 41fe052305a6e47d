import type { Term } from "../../../language/terms.ts"
import { commonShare } from "../../../language/words/common-words.ts"
import type { Lexicon } from "../../model/words/word-index.ts"

/** A document as BM25 sees it. */
export interface Counted {
  /** How often each asked term occurs, in the order they were asked. */
  counts: Float32Array
  /** How many words it has. */
  words: number
}

/** Okapi BM25 with a floor under the rarity, so that common words still count a little. */
export interface Bm25 {
  /** How much each asked term tells, in the order they were asked. */
  rarity: Float32Array
  count(terms: Uint32Array): Counted
  score(document: Counted, averageWords?: number): number
}

/** Prepares scoring for one question. */
export function createBm25(
  asked: readonly Term[],
  lexicon: Lexicon,
  { k1, b, rarityPower = 1 }: { k1: number; b: number; rarityPower?: number },
): Bm25 {
  const indices = new Map(asked.map((term, index) => [term, index]))
  const rarity = Float32Array.from(asked, (term) => rarityOf(lexicon, term) ** rarityPower)
  return {
    rarity,
    count(terms) {
      const counts = new Float32Array(asked.length)
      for (const term of terms) {
        const index = indices.get(term)
        if (index !== undefined) counts[index] = (counts[index] ?? 0) + 1
      }
      return { counts, words: terms.length }
    },
    score({ counts, words }, averageWords = lexicon.averageWords) {
      const length = k1 * (1 - b + (b * words) / Math.max(1, averageWords))
      let sum = 0
      for (let index = 0; index < counts.length; index += 1) {
        const count = counts[index] ?? 0
        if (count > 0) sum += ((rarity[index] ?? 0) * count * (k1 + 1)) / (count + length)
      }
      return sum
    },
  }
}

/** How many messages of people in general count beside the memories of a store. */
const generalMessages = 500

/**
 * How much a term tells: the logarithm of how few have it, of the memories and of what people say in general. A small store
 * says little of how common a word is: what people always say ("anything I should know?") tells nothing, whether it stands
 * in a memory or not.
 */
export function rarityOf({ memories, counts }: Lexicon, term: Term): number {
  const all = memories + generalMessages
  const having = Math.min(memories, counts.get(term) ?? 0) + generalMessages * commonShare(term)
  return Math.log(1 + (all - having + 0.5) / (having + 0.5))
}

/** Several documents as one. */
export function together(documents: readonly Counted[]): Counted {
  const counts = new Float32Array(documents[0]?.counts.length ?? 0)
  let words = 0
  for (const document of documents) {
    words += document.words
    for (let index = 0; index < counts.length; index += 1) {
      counts[index] = (counts[index] ?? 0) + (document.counts[index] ?? 0)
    }
  }
  return { counts, words }
}
