import { answerOf } from "../system.ts"
import type { Peer } from "./peer.ts"

/** What is used of the package. */
interface MiniSearch {
  addAll(documents: readonly { id: string; text: string }[]): void
  search(query: string): { id: string; score: number }[]
}
type Package = { default: new (options: { fields: string[]; storeFields: string[] }) => MiniSearch }

/** MiniSearch as it comes. */
export const minisearch: Peer = {
  name: "minisearch",
  async prepare({ load }) {
    const { default: Index } = (await load("minisearch")) as Package
    return {
      name: "minisearch",
      async open(items) {
        const index = new Index({ fields: ["text"], storeFields: [] })
        index.addAll(items.map(({ sourceId, content }) => ({ id: sourceId, text: content })))
        return {
          async search(query, limit) {
            const found = index.search(query).slice(0, limit)
            return answerOf(found.map(({ id, score }) => ({ sourceId: id, score })))
          },
          async close() {},
        }
      },
    }
  },
}
