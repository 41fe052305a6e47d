import type { Embedded, Embedder, TokenVectors } from "../src/embedding/embedder.ts"
import { termOf, termsOf } from "../src/language/terms.ts"
import { createSeededRandom } from "./seeded-random.ts"

const dimensions = 64
const tokenDimensions = 16

interface ToyOptions {
  /** The name its vectors are stored under. */
  model?: string
  /** Whether it gives word vectors where they are asked for; it does unless said otherwise. */
  tokens?: boolean
  /** Called before texts are embedded; may wait, or throw to fail. */
  before?: (texts: readonly string[]) => Promise<void> | void
}

/** An embedder, and every text it was asked to embed. */
export interface ToyEmbedder extends Embedder {
  readonly asked: string[]
}

/**
 * An embedder that knows no language: a text's vector is the sum of its word stems' directions, so texts are alike as
 * far as they share stems. Needs no model, is the same on every machine, and two of different names turn differently.
 */
export function createToyEmbedder(options: ToyOptions = {}): ToyEmbedder {
  const { model = "toy/1", tokens = true, before } = options
  const seed = termOf(model)
  const asked: string[] = []
  return {
    model,
    dimensions,
    tokenDimensions: tokens ? tokenDimensions : undefined,
    similarity: { duplicate: 0.7, related: 0.35, unrelated: 0.1 },
    asked,
    async embed(texts, wanted = {}): Promise<Embedded[]> {
      await before?.(texts)
      asked.push(...texts)
      return texts.map((text) => ({
        vector: sumOf(text, seed),
        tokens: tokens && wanted.tokens ? piecesOf(text, seed) : undefined,
      }))
    },
    status: () => ({ state: "ready", runtime: "toy" }),
    close: async () => {},
  }
}

function sumOf(text: string, seed: number): Float32Array {
  const sum = new Float32Array(dimensions)
  for (const term of termsOf(text)) {
    direction(term, seed, dimensions).forEach((value, index) => {
      sum[index] = (sum[index] ?? 0) + value
    })
  }
  // A text of nothing but stop words needs a direction too.
  return unit(sum.every((value) => value === 0) ? direction(0, seed, dimensions) : sum)
}

function piecesOf(text: string, seed: number): TokenVectors {
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
  const codes = words.flatMap(([word]) =>
    Array.from(direction(termOf(word.toLowerCase()), seed, tokenDimensions), (value) =>
      Math.round(value * 127),
    ),
  )
  return {
    codes: Int8Array.from(codes),
    dimensions: tokenDimensions,
    starts: Uint32Array.from(words, ({ index }) => index),
    ends: Uint32Array.from(words, ({ index, 0: word }) => index + word.length),
  }
}

/** The direction of a stem: random, and the same whenever it is asked for. */
function direction(term: number, seed: number, length: number): Float32Array {
  const random = createSeededRandom(term ^ seed)
  return unit(Float32Array.from({ length }, () => random.next() - 0.5))
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
