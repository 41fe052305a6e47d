import type { Purpose } from "../../../src/chat/media/settings.ts"
import type { Database } from "../../../src/storage/database.ts"
import { sql } from "../../../src/storage/sql.ts"

/** What is done wrong around making media: before and after it, to what is asked for, and when the program starts anew. */
export interface MediaPlant {
  before?(db: Database, at: number): Promise<void>
  request?(given: { community: string; purpose: Purpose }): { community: string; purpose: Purpose }
  after?(db: Database): Promise<void>
  restarted?(db: Database): Promise<void>
}

const dayMs = 86_400_000

const forgetReserved = (db: Database) =>
  db.write(async (transaction) => {
    await transaction.run(sql`update chat_media set counts = 0 where state = 'reserved'`)
  })

/** The budgets of media, each time with one thing about them wrong. */
export const mediaPlants = {
  "gives answers and thoughts a media budget each": {
    request: ({ community, purpose }) => ({ community: `${community} ${purpose}`, purpose }),
  },
  "forgets at a restart what was being made": { restarted: forgetReserved },
  "counts media only when they are there": { before: forgetReserved },
  "gives back what a failing server may have made": {
    after: (db) =>
      db.write(async (transaction) => {
        await transaction.run(sql`update chat_media set counts = 0 where state = 'failed'`)
      }),
  },
  "counts media by the day of the calendar": {
    before: (db, at) =>
      db.write(async (transaction) => {
        await transaction.run(sql`delete from chat_media where at < ${at - (at % dayMs)}`)
      }),
  },
  "keeps what nothing came of from the media budget": {
    after: (db) =>
      db.write(async (transaction) => {
        await transaction.run(sql`update chat_media set counts = 1`)
      }),
  },
} satisfies Record<string, MediaPlant>

export type MediaFault = keyof typeof mediaPlants
