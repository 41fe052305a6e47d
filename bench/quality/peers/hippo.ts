import { answerOf } from "../system.ts"
import type { Peer } from "./peer.ts"

/** What is used of the package. */
interface Entry {
  content: string
  source: string
}
interface Package {
  createMemory(content: string, options: { source: string }): Entry
  search(query: string, entries: Entry[], options: { budget: number }): { entry: Entry; score: number }[]
}

/** hippo-memory's own ranking, all stored just now so that its decay costs it nothing; its vectors need more packages. */
export const hippo: Peer = {
  name: "hippo",
  async prepare({ load }) {
    const { createMemory, search } = (await load("hippo-memory")) as Package
    return {
      name: "hippo",
      async open(items) {
        const entries = items.map(({ sourceId, content }) => createMemory(content, { source: sourceId }))
        return {
          async search(query, limit) {
            const found = search(query, entries, { budget: Number.POSITIVE_INFINITY })
            return answerOf(
              found.slice(0, limit).map(({ entry, score }) => ({ sourceId: entry.source, score })),
            )
          },
          async close() {},
        }
      },
    }
  },
}
