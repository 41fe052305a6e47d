import { join } from "node:path"
import { answerOf } from "../system.ts"
import type { Peer } from "./peer.ts"

/** What is used of the package. */
interface Memory {
  add(
    text: string,
    options: { userId: string; infer: false; metadata: { sourceId: string } },
  ): Promise<unknown>
  search(
    query: string,
    options: { filters: { user_id: string }; topK: number; threshold: number },
  ): Promise<{ results: { score?: number; metadata?: { sourceId?: string } }[] }>
}
type Package = { Memory: new (config: object) => Memory }

const userId = "bench"

/** mem0 without its model: texts stored as they are, our vectors, its own fusion with BM25 and entities. */
export const mem0: Peer = {
  name: "mem0",
  async prepare({ load, embed, folder }) {
    process.env.MEM0_TELEMETRY = "false"
    const { Memory } = (await load("mem0ai/oss")) as Package
    const numbers = async (texts: readonly string[]) =>
      (await embed.embed(texts)).map((vector) => Array.from(vector))
    const embeddings = {
      embedDocuments: numbers,
      embedQuery: async (text: string) => (await numbers([text]))[0],
    }
    const noModel = {
      async invoke() {
        throw new Error("no model is asked in this benchmark")
      },
    }
    return {
      name: "mem0",
      async open(items) {
        await embed.embed(items.map((item) => item.content))
        const place = folder()
        const memory = new Memory({
          embedder: { provider: "langchain", config: { model: embeddings, embeddingDims: embed.dimensions } },
          vectorStore: {
            provider: "memory",
            config: {
              collectionName: "bench",
              dimension: embed.dimensions,
              dbPath: join(place, "vectors.db"),
            },
          },
          llm: { provider: "langchain", config: { model: noModel } },
          disableHistory: true,
          historyDbPath: join(place, "history.db"),
        })
        for (const { sourceId, content } of items) {
          await memory.add(content, { userId, infer: false, metadata: { sourceId } })
        }
        return {
          async search(query, limit) {
            const { results } = await memory.search(query, {
              filters: { user_id: userId },
              topK: limit,
              threshold: 0,
            })
            return answerOf(
              results.map(({ score, metadata }) => ({
                sourceId: metadata?.sourceId ?? "",
                score: score ?? 0,
              })),
            )
          },
          async close() {},
        }
      },
    }
  },
}
