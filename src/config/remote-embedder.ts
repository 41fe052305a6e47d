import type { Config } from "./schema.ts"

/** The setting that a remote embedder lacks, and the sentence about it. */
export function missingRemote(embedding: Config["embedding"]): { key: string; message: string } | undefined {
  if (embedding.model !== "remote") return undefined
  const missing = (["remote_url", "remote_model"] as const).find((key) => embedding[key] === "")
  if (missing === undefined) return undefined
  const key = `embedding.${missing}`
  return { key, message: `A remote embedder needs ${key}; set it, or choose a local embedding.model.` }
}
