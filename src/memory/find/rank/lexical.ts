import type { Term } from "../../../language/terms.ts"
import { commonShare } from "../../../language/words/common-words.ts"
import type { Lexicon } from "../../model/words/word-index.ts"

/** A document as BM25 sees it. */
export interface TermCounts {
  /** How often each query term occurs, in the order of the query. */
  counts: Float32Array
  /** The length in words. */
  words: number
}

/** Okapi BM25 with a minimum rarity, so that common words still count a little. */
export interface Bm25 {
  /** The rarity of each query term, in the order of the query. */
  rarity: Float32Array
  count(terms: Uint32Array): TermCounts
  score(document: TermCounts, averageWords?: number): number
}

/** Prepares scoring for one query. */
export function createBm25(
  query: readonly Term[],
  lexicon: Lexicon,
  { k1, b, rarityPower = 1 }: { k1: number; b: number; rarityPower?: number },
): Bm25 {
  const indices = new Map(query.map((term, index) => [term, index]))
  const rarity = Float32Array.from(query, (term) => rarityOf(lexicon, term) ** rarityPower)
  return {
    rarity,
    count(terms) {
      const counts = new Float32Array(query.length)
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

/** The weight of general language use, as a number of messages added to the store's memories. */
const generalMessages = 500

/**
 * The inverse document frequency of a term among the memories and in general language. A small store alone says little
 * about how common a word is: "anything I should know?" has no rare word, whether memories contain it or not.
 */
export function rarityOf({ memories, counts }: Lexicon, term: Term): number {
  const all = memories + generalMessages
  const having = Math.min(memories, counts.get(term) ?? 0) + generalMessages * commonShare(term)
  return Math.log(1 + (all - having + 0.5) / (having + 0.5))
}

/** The counts of several documents as one. */
export function sumCounts(documents: readonly TermCounts[]): TermCounts {
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
