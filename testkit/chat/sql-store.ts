import type { Random } from "../../src/base/random.ts"
import { openChatStore } from "../../src/chat/supervisor/store.ts"
import type { Database } from "../../src/storage/database.ts"
import { sql } from "../../src/storage/sql.ts"
import type { SimulatedStore } from "./simulate.ts"

/** The real store for simulated lives. */
export function createSqlStore(db: Database, random: Random): SimulatedStore {
  return {
    ...openChatStore({ db, random }),
    async all(platform) {
      const entries = await db.read<{ kind: string; subject: string; data: string }>(
        sql`select kind, subject, data from journal where subject like ${`${platform}/%`} order by seq`,
      )
      const states = await db.read<{ state: string }>(
        sql`select state from chat_conversations where platform = ${platform}`,
      )
      return {
        journal: entries.map(({ kind, subject, data }) => ({ kind, room: subject, data: JSON.parse(data) })),
        states: states.map(({ state }) => JSON.parse(state)),
      }
    },
  }
}
