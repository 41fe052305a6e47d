import type { TokenVectors } from "../../../embedding/embedder.ts"
import { stopWords } from "../../../storage/search.ts"
import { openScan, type Scan } from "../../../storage/sqlite/vector-scan.ts"

/** One word piece of the question, and how much it counts. */
interface Piece {
  vector: Float32Array
  weight: number
  isTelling: boolean
}

/** So many of the words that are met best tell how well a memory meets a question of any length. */
const mostMet = 3

/** How well each piece of a question is met by one memory, 0 to 1 each. */
export type Met = Float32Array

/**
 * Late interaction: every piece of the question looks for the piece of a memory that is most like it. Likeness below
 * the floor counts nothing.
 */
export class LateInteraction {
  readonly #pieces: Piece[]
  readonly #floor: number
  readonly #dimensions: number
  readonly #weights: number

  /** `weigh` says how much a word of the question counts; 0 leaves it out. */
  constructor(question: string, tokens: TokenVectors, floor: number, weigh: (word: string) => number) {
    const { codes, dimensions, starts, ends } = tokens
    const weighed = (word: string) => ({ weight: weigh(word), isTelling: !stopWords.has(word) })
    this.#dimensions = dimensions
    this.#floor = floor
    this.#pieces = Array.from(starts, (start, piece) => ({
      vector: Float32Array.from(codes.subarray(piece * dimensions, (piece + 1) * dimensions), unit),
      ...weighed(question.slice(start, ends[piece]).toLowerCase()),
    })).filter(({ weight }) => weight > 0)
    this.#weights = this.#pieces.reduce((sum, { weight }) => sum + weight, 0)
  }

  /** How memories, given by their pieces' codes, meet the question. */
  meet(documents: readonly Int8Array[]): Met[] {
    const dimensions = this.#dimensions
    const lengths = documents.map((codes) => Math.floor(codes.length / dimensions))
    const scan = emptyScan(dimensions)
    let row = 0
    documents.forEach((codes, index) => {
      const rows = lengths[index] ?? 0
      scan.putMany(row, codes.subarray(0, rows * dimensions), new Float32Array(rows).fill(1 / 127))
      row += rows
    })
    const met = documents.map(() => new Float32Array(this.#pieces.length))
    this.#pieces.forEach(({ vector }, piece) => {
      const scores = scan.scores(vector)
      let at = 0
      met.forEach((one, index) => {
        const end = at + (lengths[index] ?? 0)
        one[piece] = this.#above(best(scores, at, end))
        at = end
      })
    })
    return met
  }

  /** The weighted share of the question that is met, 0 to 1. */
  share(met: Met): number {
    if (this.#weights === 0) return 0
    let sum = 0
    this.#pieces.forEach(({ weight }, piece) => {
      sum += weight * (met[piece] ?? 0)
    })
    return sum / this.#weights
  }

  /** How well the telling words are met that are met best, 0 to 1. */
  most(met: Met): number {
    const best = new Float64Array(mostMet)
    let telling = 0
    for (let piece = 0; piece < met.length; piece += 1) {
      if (!this.#pieces[piece]?.isTelling) continue
      telling += 1
      keepBest(best, met[piece] ?? 0)
    }
    return telling === 0 ? 0 : best.reduce((sum, value) => sum + value, 0) / Math.min(telling, mostMet)
  }

  #above(likeness: number): number {
    return Math.max(0, (likeness - this.#floor) / (1 - this.#floor))
  }
}

/** Puts a value among the best so far, highest first, if it is one of them. */
function keepBest(best: Float64Array, value: number): void {
  let moved = value
  for (let place = 0; place < best.length; place += 1) {
    const here = best[place] ?? 0
    if (moved <= here) continue
    best[place] = moved
    moved = here
  }
}

/** One scan for each length of vectors: making one takes longer than using it, and it is used in one go. */
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

/** What neighbours lend: each piece counts as met if it is met nearby, but less. */
export function lend(own: Met, nearby: readonly { met: Met; share: number }[]): Met {
  const met = own.slice()
  for (const { met: other, share } of nearby) {
    for (let piece = 0; piece < met.length; piece += 1) {
      met[piece] = Math.max(met[piece] ?? 0, share * (other[piece] ?? 0))
    }
  }
  return met
}
