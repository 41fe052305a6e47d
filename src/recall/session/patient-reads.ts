import { nextTurn } from "../../base/clock.ts"
import type { Database } from "../../storage/database.ts"

/**
 * The same database for work that nobody waits for: before each statement everything else that is ready gets its turn.
 * An embedded database answers without a pause, so a whole look would otherwise hold up the turns of other sessions.
 */
export function patientReads(db: Database): Database {
  const patiently =
    <Given, Answer>(ask: (given: Given) => Promise<Answer>) =>
    async (given: Given) => {
      await nextTurn()
      return ask(given)
    }
  const { search } = db
  return {
    ...db,
    read: async (query) => {
      await nextTurn()
      return db.read(query)
    },
    search: {
      ...search,
      fullText: patiently((given) => search.fullText(given)),
      nearest: patiently((given) => search.nearest(given)),
    },
  }
}
