import type { Random } from "../../src/base/random.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

/** As many as the local embedding model gives. */
export const dimensions = 384
const topics = 300
/** How far a vector strays from its topic; real sentence embeddings lie in about such loose clouds. */
const spread = 0.8

/** An endless supply of unit vectors around a few hundred topics, the same for the same seed. */
export function createVectors(seed: number): () => Float32Array {
  const centres = createSeededRandom(1)
  const topic = Array.from({ length: topics }, () => cloud(centres))
  const random = createSeededRandom(seed)
  return () => {
    const centre = topic[Math.floor(random.next() * topics)]
    const vector = cloud(random)
    for (let index = 0; index < dimensions; index += 1) {
      vector[index] = (centre?.[index] ?? 0) + spread * (vector[index] ?? 0)
    }
    return toUnit(vector)
  }
}

function cloud(random: Random): Float32Array {
  const vector = new Float32Array(dimensions)
  for (let index = 0; index < dimensions; index += 1) vector[index] = random.next() + random.next() - 1
  return toUnit(vector)
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  for (let index = 0; index < dimensions; index += 1) vector[index] = (vector[index] ?? 0) / length
  return vector
}

/** The places of the vectors that really are nearest, to hold an index's answer against. */
export function trulyNearest(vectors: readonly Float32Array[], query: Float32Array, count: number): number[] {
  const scores = vectors.map((vector) => dot(vector, query))
  const best = scores.toSorted((a, b) => b - a)[count - 1] ?? Number.NEGATIVE_INFINITY
  return scores.flatMap((score, place) => (score >= best ? [place] : [])).slice(0, count)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}
