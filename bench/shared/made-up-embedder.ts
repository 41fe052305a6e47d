import type { Embedded, Embedder, TokenVectors } from "../../src/embedding/embedder.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { headWords } from "./made-up-talk.ts"

/** How many vectors of chance there are, and how much of one is in every text's vector. */
const noises = 512
const noise = 0.7

/**
 * Gives made-up texts vectors at once, some hundred times faster than the model. A text's vector is the sum of its
 * words' real vectors and some noise, a word's pieces are its real ones, so that real questions find their way.
 * Words that are joined from two others, and words of no language, are told apart by their beginnings.
 */
export async function openMadeUpEmbedder(real: Embedder): Promise<Embedder> {
  const embedded = await real.embed(headWords, { tokens: true })
  const middle = mean(embedded.map(({ vector }) => vector))
  const words = new Map(headWords.map((word, place) => [word, knownWord(embedded[place], middle)]))
  const chance = chanceVectors(real.dimensions)
  const tokenDimensions = real.tokenDimensions ?? 0
  return {
    model: real.model,
    dimensions: real.dimensions,
    tokenDimensions,
    similarity: real.similarity,
    async embed(texts) {
      return texts.map((text) => embedText({ words, chance, tokenDimensions }, text))
    },
    status: () => ({ state: "ready" }),
    async close() {},
  }
}

/** What is known of a word: its vector without what all words share, and its first piece. */
interface Word {
  vector: Float32Array
  piece: Int8Array
}

interface Known {
  words: Map<string, Word>
  chance: readonly Float32Array[]
  tokenDimensions: number
}

function knownWord(embedded: Embedded | undefined, middle: Float32Array): Word {
  const dimensions = embedded?.tokens?.dimensions ?? 0
  return {
    vector: (embedded?.vector ?? middle).map((value, index) => value - (middle[index] ?? 0)),
    piece: (embedded?.tokens?.codes ?? new Int8Array()).slice(0, dimensions),
  }
}

function embedText(known: Known, text: string): Embedded {
  const found = [...text.matchAll(/[\p{L}\p{N}]+/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    word: wordFor(known, match[0].toLowerCase()),
  }))
  const seed = hash(text)
  const vector = (known.chance[seed % noises] ?? new Float32Array()).map((value) => value * noise)
  for (const { word } of found) {
    for (let index = 0; index < vector.length; index += 1) {
      vector[index] = (vector[index] ?? 0) + (word?.vector[index] ?? 0)
    }
  }
  return { vector: toUnit(vector), tokens: piecesOf(known, found) }
}

/** The word itself, or the longest one it begins with. */
function wordFor({ words }: Known, text: string): Word | undefined {
  for (let length = text.length; length >= 3; length -= 1) {
    const word = words.get(text.slice(0, length))
    if (word) return word
  }
  return undefined
}

interface Place {
  start: number
  end: number
  word: Word | undefined
}

/** One piece for a short word, two for a long one. */
function piecesOf({ chance, tokenDimensions }: Known, found: readonly Place[]): TokenVectors {
  const pieces = found.flatMap((place) => (place.end - place.start > 8 ? [place, place] : [place]))
  const codes = new Int8Array(pieces.length * tokenDimensions)
  pieces.forEach(({ word, start, end }, piece) => {
    const other = chance[(start * 31 + end) % noises]?.subarray(0, tokenDimensions) ?? new Float32Array()
    codes.set(word?.piece ?? other.map((value) => value * 200), piece * tokenDimensions)
  })
  return {
    codes,
    dimensions: tokenDimensions,
    starts: Uint32Array.from(pieces, ({ start }) => start),
    ends: Uint32Array.from(pieces, ({ end }) => end),
  }
}

function chanceVectors(dimensions: number): Float32Array[] {
  const random = createSeededRandom(99)
  return Array.from({ length: noises }, () =>
    toUnit(Float32Array.from({ length: dimensions }, () => random.next() + random.next() - 1)),
  )
}

function mean(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) {
    for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] ?? 0) + (vector[index] ?? 0)
  }
  return sum.map((value) => value / vectors.length)
}

function toUnit(vector: Float32Array): Float32Array {
  let squares = 0
  for (const value of vector) squares += value * value
  const length = Math.sqrt(squares)
  return vector.map((value) => value / length)
}

function hash(text: string): number {
  let value = 7
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value, 31) + text.charCodeAt(index)
  return value >>> 0
}
