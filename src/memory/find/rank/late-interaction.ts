import type { TokenVectors } from "../../../embedding/embedder.ts"
import { termOf } from "../../../language/terms.ts"
import { stopWords } from "../../../storage/search.ts"
import { openScan, type Scan } from "../../../storage/sqlite/vector-scan.ts"
import type { Lexicon } from "../../model/words/word-index.ts"
import type { Pool } from "../pool.ts"
import { rarityOf } from "./lexical.ts"
import type { Recipe } from "./recipe.ts"

/** The factors on the rarity of stop words and of speakers' names. */
const stopWordFactor = 0.2
const speakerFactor = 0.7

/** Returns the weight of a query word in late interaction: the rarer, the higher. */
export function pieceWeights(
  { rarityPower }: Recipe,
  lexicon: Lexicon,
  pool: Pool,
): (word: string) => number {
  const names = new Set(Array.from(pool.values()).flatMap(({ speaker }) => speaker?.split(" ") ?? []))
  return (word) => {
    if (!/[\p{L}\p{N}]/u.test(word)) return 0
    const factor = stopWords.has(word) ? stopWordFactor : names.has(word) ? speakerFactor : 1
    return (rarityOf(lexicon, termOf(word)) * factor) ** rarityPower
  }
}

/** One word piece of the query, and its weight. */
interface Piece {
  vector: Float32Array
  weight: number
  isStopWord: boolean
}

/** `LateInteraction.most` averages this many of the best matched words. */
const bestWords = 3

/** How well one memory matches each piece of a query, 0 to 1 each. */
export type PieceMatches = Float32Array

/** Late interaction: compares each piece of the query with its most similar piece of a memory. */
export class LateInteraction {
  readonly #pieces: Piece[]
  readonly #floor: number
  readonly #dimensions: number
  readonly #weights: number

  /** A similarity below `floor` counts as 0. `weigh` returns the weight of a query word; 0 excludes it. */
  constructor(query: string, tokens: TokenVectors, floor: number, weigh: (word: string) => number) {
    const { codes, dimensions, starts, ends } = tokens
    const weighed = (word: string) => ({ weight: weigh(word), isStopWord: stopWords.has(word) })
    this.#dimensions = dimensions
    this.#floor = floor
    this.#pieces = Array.from(starts, (start, piece) => ({
      vector: Float32Array.from(codes.subarray(piece * dimensions, (piece + 1) * dimensions), unit),
      ...weighed(query.slice(start, ends[piece]).toLowerCase()),
    })).filter(({ weight }) => weight > 0)
    this.#weights = this.#pieces.reduce((sum, { weight }) => sum + weight, 0)
  }

  /** How memories, given as the codes of their pieces, match the query. */
  match(documents: readonly Int8Array[]): PieceMatches[] {
    const dimensions = this.#dimensions
    const lengths = documents.map((codes) => Math.floor(codes.length / dimensions))
    const scan = emptyScan(dimensions)
    let row = 0
    documents.forEach((codes, index) => {
      const rows = lengths[index] ?? 0
      scan.putMany(row, codes.subarray(0, rows * dimensions), new Float32Array(rows).fill(1 / 127))
      row += rows
    })
    const matches = documents.map(() => new Float32Array(this.#pieces.length))
    this.#pieces.forEach(({ vector }, piece) => {
      const scores = scan.scores(vector)
      let at = 0
      matches.forEach((own, index) => {
        const end = at + (lengths[index] ?? 0)
        own[piece] = this.#above(best(scores, at, end))
        at = end
      })
    })
    return matches
  }

  /** The weighted share of the query that is matched, 0 to 1. */
  share(matches: PieceMatches): number {
    if (this.#weights === 0) return 0
    let sum = 0
    this.#pieces.forEach(({ weight }, piece) => {
      sum += weight * (matches[piece] ?? 0)
    })
    return sum / this.#weights
  }

  /** The average match of the best matched words that are not stop words, 0 to 1. */
  most(matches: PieceMatches): number {
    const best = new Float64Array(bestWords)
    let counted = 0
    for (let piece = 0; piece < matches.length; piece += 1) {
      if (this.#pieces[piece]?.isStopWord !== false) continue
      counted += 1
      insertBest(best, matches[piece] ?? 0)
    }
    return counted === 0 ? 0 : best.reduce((sum, value) => sum + value, 0) / Math.min(counted, bestWords)
  }

  #above(similarity: number): number {
    return Math.max(0, (similarity - this.#floor) / (1 - this.#floor))
  }
}

/** Inserts a value into the best so far, highest first, if it is one of them. */
function insertBest(best: Float64Array, value: number): void {
  let moved = value
  for (let place = 0; place < best.length; place += 1) {
    const here = best[place] ?? 0
    if (moved <= here) continue
    best[place] = moved
    moved = here
  }
}

/** One scan for each vector length, since opening one is slow. Each use is synchronous, so sharing it is safe. */
const scans = new Map<number, Scan>()

function emptyScan(dimensions: number): Scan {
  const scan = scans.get(dimensions) ?? openScan(dimensions)
  scans.set(dimensions, scan)
  scan.clear()
  return scan
}

function unit(code: number): number {
  return code / 127
}

function best(scores: Float32Array, from: number, to: number): number {
  let most = 0
  for (let at = from; at < to; at += 1) {
    const score = scores[at] ?? 0
    if (score > most) most = score
  }
  return most
}

/** Raises each match to a neighbour's match times its share. */
export function borrowMatches(
  own: PieceMatches,
  neighbours: readonly { matches: PieceMatches; share: number }[],
): PieceMatches {
  const raised = own.slice()
  for (const { matches, share } of neighbours) {
    for (let piece = 0; piece < raised.length; piece += 1) {
      raised[piece] = Math.max(raised[piece] ?? 0, share * (matches[piece] ?? 0))
    }
  }
  return raised
}
