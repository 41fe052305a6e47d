import { around } from "../../embedding/around.ts"
import type { Embedded, Embedder } from "../../embedding/embedder.ts"

const mostKept = 16

/** An embedder that gives the vectors of a single text it was just asked for without computing them again. */
export function rememberingEmbedder(embedder: Embedder): Embedder {
  const kept = new Map<string, Promise<Embedded[]>>()
  return around(embedder, {
    embed(texts, options = {}) {
      const [text] = texts
      if (text === undefined || texts.length > 1) return embedder.embed(texts, options)
      const known = kept.get(text)
      if (known) return known
      const asked = embedder.embed(texts, { ...options, tokens: true })
      kept.set(text, asked)
      for (const oldest of kept.keys()) {
        if (kept.size <= mostKept) break
        kept.delete(oldest)
      }
      asked.catch(() => kept.delete(text))
      return asked
    },
  })
}
