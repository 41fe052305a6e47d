import type { Embedded, Embedder } from "../../embedding/embedder.ts"
import { wrapEmbedder } from "../../embedding/wrap-embedder.ts"

const mostCached = 16

/** An embedder that caches the vectors of the last 16 single texts. */
export function cachingEmbedder(embedder: Embedder): Embedder {
  const cached = new Map<string, Promise<Embedded[]>>()
  return wrapEmbedder(embedder, {
    embed(texts, options = {}) {
      const [text] = texts
      if (text === undefined || texts.length > 1) return embedder.embed(texts, options)
      const known = cached.get(text)
      if (known) return known
      const asked = embedder.embed(texts, { ...options, tokens: true })
      cached.set(text, asked)
      for (const oldest of cached.keys()) {
        if (cached.size <= mostCached) break
        cached.delete(oldest)
      }
      asked.catch(() => cached.delete(text))
      return asked
    },
  })
}
