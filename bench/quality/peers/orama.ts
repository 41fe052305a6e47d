import { answerOf, type Item, type System } from "../system.ts"
import type { Peer, PeerNeeds } from "./peer.ts"

/** What is used of the package. */
interface Orama {
  create(options: { schema: Record<string, string> }): unknown
  insertMultiple(index: unknown, documents: readonly object[], batch: number): Promise<unknown>
  search(
    index: unknown,
    params: object,
  ): Promise<{ hits: { score: number; document: { sourceId: string } }[] }>
}

/** Orama's full text as it comes. */
export const oramaText: Peer = {
  name: "orama-text",
  prepare: (needs) => prepareOrama(needs, "orama-text", "fulltext"),
}

/** Orama's hybrid search with our vectors; its floor of similarity is taken away, which helps it. */
export const oramaHybrid: Peer = {
  name: "orama-hybrid",
  prepare: (needs) => prepareOrama(needs, "orama-hybrid", "hybrid"),
}

async function prepareOrama(
  { load, embed }: PeerNeeds,
  name: string,
  mode: "fulltext" | "hybrid",
): Promise<System> {
  const orama = (await load("@orama/orama")) as Orama
  const vectorsOf = async (texts: readonly string[]) =>
    mode === "hybrid" ? (await embed.embed(texts)).map((vector) => Array.from(vector)) : []
  const vectorSchema = mode === "hybrid" ? { vector: `vector[${embed.dimensions}]` } : {}
  return {
    name,
    async open(items) {
      const index = orama.create({ schema: { sourceId: "enum", text: "string", ...vectorSchema } })
      const vectors = await vectorsOf(items.map((item) => item.content))
      await orama.insertMultiple(index, items.map(documentOf(vectors)), 1000)
      return {
        async search(query, limit) {
          const [value] = await vectorsOf([query])
          const vector = value === undefined ? {} : { vector: { value, property: "vector" }, similarity: 0 }
          const { hits } = await orama.search(index, {
            term: query,
            mode,
            limit,
            properties: ["text"],
            ...vector,
          })
          return answerOf(hits.map(({ document, score }) => ({ sourceId: document.sourceId, score })))
        },
        async close() {},
      }
    },
  }
}

function documentOf(vectors: readonly number[][]) {
  return ({ sourceId, content }: Item, index: number) => {
    const vector = vectors[index]
    return { sourceId, text: content, ...(vector ? { vector } : {}) }
  }
}
