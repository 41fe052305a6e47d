import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { dimensions } from "../shared/made-up-vectors.ts"

/** Unit vectors around topics, and for each the topic it was made from; -1 for those made from none. */
export interface Planted {
  vectors: Float32Array[]
  topics: Int32Array
}

const noiseShare = 0.2
const meanSize = 60
/** How far members stray from the middle of their topic, as a share of the length of the vector. */
const spread = 0.7

/** Makes a memory's worth of vectors: topics of unequal size, and a fifth of strays. */
export function plantVectors(size: number): Planted {
  const random = createSeededRandom(size)
  const direction = () => {
    const vector = new Float32Array(dimensions)
    for (let index = 0; index < dimensions; index += 1) vector[index] = random.next() + random.next() - 1
    return toUnit(vector)
  }
  const count = Math.max(2, Math.round((size * (1 - noiseShare)) / meanSize))
  const centres = Array.from({ length: count }, direction)
  const topics = Int32Array.from({ length: size }, () =>
    // The power makes topics with low numbers larger.
    random.next() < noiseShare
      ? -1
      : Math.floor(count * (0.25 * random.next() + 0.75 * random.next() ** 1.5)),
  )
  const vectors = Array.from(topics, (topic) => {
    const centre = centres[topic]
    const stray = direction()
    if (centre === undefined) return stray
    return toUnit(stray.map((value, index) => spread * value + (centre[index] ?? 0)))
  })
  return { vectors, topics }
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return vector.map((value) => value / length)
}
