import { answerOf } from "../system.ts"
import type { Peer } from "./peer.ts"
import { topOf } from "./top.ts"

/** Nearest vectors of our own embedder, and nothing else. */
export const cosine: Peer = {
  name: "cosine",
  async prepare({ embed }) {
    return {
      name: "cosine",
      async open(items) {
        const vectors = await embed.embed(items.map((item) => item.content))
        return {
          async search(query, limit) {
            const [question] = await embed.embed([query])
            const scores = vectors.map((vector) => dot(vector, question ?? new Float32Array()))
            return answerOf(topOf(items, scores, limit, -1))
          },
          async close() {},
        }
      },
    }
  },
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum
}
