import { z } from "zod"
import { readJournal } from "../../storage/journal.ts"
import { type Sql, sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** One time that recall brought memories up in a session. */
export interface SurfacedTime {
  at: number
  session: string
  /** The number of the prompt, from 1. */
  turn: number
  /** Ids. */
  memories: string[]
}

const surfacedSchema = z.object({ turn: z.number().default(0), memories: z.array(z.string()) })

async function surfacedWhere(
  on: Reader,
  query: { subject?: string; where?: Sql },
  limit: number,
): Promise<SurfacedTime[]> {
  const entries = await readJournal(on, { ...query, kind: "recall.surfaced", newestFirst: true, limit })
  return entries.flatMap(({ at, subject, data }) => {
    const surfaced = surfacedSchema.safeParse(data).data
    return surfaced === undefined || subject === null ? [] : [{ at, session: subject, ...surfaced }]
  })
}

/** When and where recall brought a memory up, newest first. */
export function timesSurfaced(on: Reader, memory: string): Promise<SurfacedTime[]> {
  return surfacedWhere(on, { where: sql`data like ${`%"${memory}"%`}` }, 50)
}

/** What recall brought up in a session, newest first. */
export function surfacedIn(on: Reader, session: string): Promise<SurfacedTime[]> {
  return surfacedWhere(on, { subject: session }, 200)
}

/** What recall brought up in any session since a time, newest first. */
export function surfacedSince(on: Reader, since: number, limit: number): Promise<SurfacedTime[]> {
  return surfacedWhere(on, { where: sql`at >= ${since}` }, limit)
}
