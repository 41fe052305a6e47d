import type { Embedder } from "./embedder.ts"

/** What users are told while the embedder does not work; undefined while nothing is wrong with it. */
export function embeddingNotice(embedder: Embedder | undefined): string | undefined {
  const { state, reason } = embedder?.status() ?? { state: "idle" }
  if (state !== "failed") return undefined
  return `Search goes by words alone for now. ${reason ?? "The embedder does not work."}`
}
