import type { Embedder } from "./embedder.ts"

type Changes = Pick<Embedder, "embed"> & Partial<Pick<Embedder, "status" | "close">>

/** An embedder with some methods replaced. */
export function wrapEmbedder(embedder: Embedder, changes: Changes): Embedder {
  return {
    model: embedder.model,
    get dimensions() {
      return embedder.dimensions
    },
    tokenDimensions: embedder.tokenDimensions,
    get similarity() {
      return embedder.similarity
    },
    get scale() {
      return embedder.scale
    },
    ...(embedder.reads ? { reads: embedder.reads } : {}),
    ...(embedder.judge ? { judge: embedder.judge } : {}),
    status: () => embedder.status(),
    close: () => embedder.close(),
    ...changes,
  }
}
