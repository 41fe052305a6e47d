import { stemmer } from "stemmer"
import { answerOf, type Item, type System } from "../system.ts"
import type { Peer } from "./peer.ts"
import { topOf } from "./top.ts"

/** The textbook: BM25 (k1 1.2, b 0.75) over Porter stems without function words. */
export const bm25: Peer = {
  name: "bm25",
  prepare: async () => bm25System(),
}

const k1 = 1.2
const b = 0.75
const functionWords = new Set(
  `a about after again all also am an and any are as at be because been before being but by can could did do does
  doing down for from further had has have having he her here hers him his how i if in into is it its just me more most
  my no nor not now of off on once only or other our out over own s same she should so some such t than that the their
  them then there these they this those through to too under until up very was we were what when where which while who
  whom why will with would you your`.split(/\s+/),
)

function bm25System(): System {
  const termsOf = (text: string) =>
    (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !functionWords.has(word)).map(stemmer)
  return {
    name: "bm25",
    async open(items) {
      const index = indexOf(items, termsOf)
      return {
        async search(query, limit) {
          const { scores, ideal } = index.score(termsOf(query))
          const answer = answerOf(topOf(items, scores, limit))
          return { ...answer, confidence: ideal === 0 ? 0 : answer.confidence / ideal }
        },
        async close() {},
      }
    },
  }
}

/** Where each term stands and how often. */
function indexOf(items: readonly Item[], termsOf: (text: string) => string[]) {
  const postings = new Map<string, { item: number; count: number }[]>()
  const lengths = items.map((item, index) => {
    const terms = termsOf(item.content)
    const counts = new Map<string, number>()
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const [term, count] of counts) {
      const list = postings.get(term) ?? []
      list.push({ item: index, count })
      postings.set(term, list)
    }
    return terms.length
  })
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, items.length)
  return {
    /** The items' scores, and the score of a text that would say everything that was asked for again and again. */
    score(terms: readonly string[]): { scores: Float64Array; ideal: number } {
      const scores = new Float64Array(items.length)
      let ideal = 0
      for (const term of new Set(terms)) {
        const list = postings.get(term) ?? []
        const idf = Math.log(1 + (items.length - list.length + 0.5) / (list.length + 0.5))
        ideal += idf * (k1 + 1)
        for (const { item, count } of list) {
          const length = (lengths[item] ?? 0) / averageLength
          const gain = (idf * count * (k1 + 1)) / (count + k1 * (1 - b + b * length))
          scores[item] = (scores[item] ?? 0) + gain
        }
      }
      return { scores, ideal }
    },
  }
}
