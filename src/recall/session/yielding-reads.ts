import { yieldToEventLoop } from "../../base/clock.ts"
import type { Database } from "../../storage/database.ts"

/**
 * The same database for background work: yields to the event loop before each read. SQLite answers synchronously, so a
 * whole search would otherwise hold up the prompts of other sessions.
 */
export function yieldingReads(db: Database): Database {
  const yielding =
    <Query, Answer>(read: (query: Query) => Promise<Answer>) =>
    async (query: Query) => {
      await yieldToEventLoop()
      return read(query)
    }
  const { search } = db
  return {
    ...db,
    read: async (query) => {
      await yieldToEventLoop()
      return db.read(query)
    },
    search: {
      ...search,
      fullText: yielding((query) => search.fullText(query)),
      nearest: yielding((query) => search.nearest(query)),
    },
  }
}
