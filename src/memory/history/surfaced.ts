import { z } from "zod"
import { readJournal } from "../../storage/journal.ts"
import { type Sql, sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** One time that memories came up in a session without being asked. */
export interface SurfacedTime {
  at: number
  session: string
  /** The number of the prompt it came with, from 1. */
  turn: number
  /** The ids of what came up. */
  memories: string[]
}

const surfacedSchema = z.object({ turn: z.number().default(0), memories: z.array(z.string()) })

/** The newest times that something came up, newest first. */
async function surfacedWhere(
  on: Reader,
  query: { subject?: string; where?: Sql },
  limit: number,
): Promise<SurfacedTime[]> {
  const entries = await readJournal(on, { ...query, kind: "recall.surfaced", newestFirst: true, limit })
  return entries.flatMap(({ at, subject, data }) => {
    const told = surfacedSchema.safeParse(data).data
    return told === undefined || subject === null ? [] : [{ at, session: subject, ...told }]
  })
}

/** When and where a memory came up, newest first. */
export function timesSurfaced(on: Reader, memory: string): Promise<SurfacedTime[]> {
  return surfacedWhere(on, { where: sql`data like ${`%"${memory}"%`}` }, 50)
}

/** What came up in a session, newest first. */
export function surfacedIn(on: Reader, session: string): Promise<SurfacedTime[]> {
  return surfacedWhere(on, { subject: session }, 200)
}

/** What came up anywhere since a moment, newest first. */
export function surfacedSince(on: Reader, since: number, limit: number): Promise<SurfacedTime[]> {
  return surfacedWhere(on, { where: sql`at >= ${since}` }, limit)
}
