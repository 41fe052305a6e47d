import { yieldToEventLoop } from "../../../base/clock.ts"
import { rangeAround } from "./search-sorted.ts"

interface Sharing {
  row: number
  /** The Jaccard index of the two sets of words. */
  share: number
}

/** Finds the memories of one scope that share most of their words. */
export interface SharedWords {
  put(row: number, terms: Uint32Array): void
  /** Call it once, after the last `put`. */
  seal(): Promise<void>
  /** The rows that share the most words with this one, best first. */
  sharing(row: number): Sharing[]
}

/** Texts with more words are not single statements, and are left out. */
const mostTerms = 60
/** The least share of words; of at most three words one may differ. */
const leastShare = 0.4
const leastOfFew = 1 / 3
const fewTerms = 3
/** Of the rows with a common word, only this many next to the row are compared. */
const mostOfTerm = 160
const mostShown = 8

/**
 * Two sets that share enough have one of their rarest words in common, so only those are indexed: the cost per row does
 * not grow with the scope. A pair is missed only if all of these words are common.
 */
export function createSharedWords(rows: number): SharedWords {
  const none = new Uint32Array()
  const termsOf: Uint32Array[] = Array.from({ length: rows }, () => none)
  /** Rows by term, for the rare terms of each; terms are numbered by how rare they are. */
  let postings: Uint32Array[] = []
  /** The number of the search that last met a row. */
  const seen = new Uint32Array(rows)
  let searches = 0

  /** The rows next to this one that the current search has not met yet. */
  function newOf(members: Uint32Array, row: number): Uint32Array {
    const { from, end } = rangeAround(members, row, { most: mostOfTerm })
    return members.subarray(from, end).filter((other) => {
      const isNew = seen[other] !== searches
      seen[other] = searches
      return isNew
    })
  }
  return {
    put(row, terms) {
      const own = new Set(terms)
      termsOf[row] = own.size > mostTerms ? none : Uint32Array.from(own)
    },
    async seal() {
      const ranks = await ranksOf(termsOf)
      const found: number[][] = Array.from({ length: ranks.size }, () => [])
      for (let row = 0; row < rows; row += 1) {
        const ranked = Uint32Array.from(termsOf[row] ?? none, (term) => ranks.get(term) ?? 0).sort()
        termsOf[row] = ranked
        for (const term of rarest(ranked)) found[term]?.push(row)
        if (row % rowsInTurn === 0) await yieldToEventLoop()
      }
      postings = found.map((members) => Uint32Array.from(members))
    },
    sharing(row) {
      const own = termsOf[row] ?? none
      const found: Sharing[] = []
      searches += 1
      seen[row] = searches
      for (const term of rarest(own)) {
        for (const other of newOf(postings[term] ?? none, row)) {
          const theirs = termsOf[other] ?? none
          const share = shareOf(own, theirs)
          if (share >= leastFor(Math.min(own.length, theirs.length))) found.push({ row: other, share })
        }
      }
      return found.sort((a, b) => b.share - a.share || a.row - b.row).slice(0, mostShown)
    },
  }
}

/** Other work gets its turn after this many rows. */
const rowsInTurn = 1000

/** The terms numbered by how rare they are. */
async function ranksOf(all: readonly Uint32Array[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (const [row, terms] of all.entries()) {
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    if (row % rowsInTurn === 0) await yieldToEventLoop()
  }
  const sorted = [...counts].sort(([a, x], [b, y]) => x - y || a - b)
  return new Map(sorted.map(([term], rank) => [term, rank]))
}

function leastFor(terms: number): number {
  return terms <= fewTerms ? leastOfFew : leastShare
}

/** Its rarest terms: a set that shares enough must have one of them. */
function rarest(ranked: Uint32Array): Uint32Array {
  const { length } = ranked
  return ranked.subarray(0, length - Math.ceil(leastFor(length) * length) + 1)
}

function shareOf(a: Uint32Array, b: Uint32Array): number {
  let [x, y, both] = [0, 0, 0]
  while (x < a.length && y < b.length) {
    const [left, right] = [a[x] ?? 0, b[y] ?? 0]
    if (left === right) both += 1
    if (left <= right) x += 1
    if (right <= left) y += 1
  }
  return both / Math.max(1, a.length + b.length - both)
}
