import type { Embedder } from "./embedder.ts"

/** An embedder that does some things in another way; the rest is as before. */
export function around(embedder: Embedder, changes: Pick<Embedder, "embed" | "status">): Embedder {
  return {
    model: embedder.model,
    get dimensions() {
      return embedder.dimensions
    },
    tokenDimensions: embedder.tokenDimensions,
    similarity: embedder.similarity,
    ...changes,
    close: () => embedder.close(),
  }
}
