import { z } from "zod"
import type { SessionTool } from "../../sessions/session.ts"
import type { Database } from "../../storage/database.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { putPosition } from "../reading/read-positions.ts"

/** A location whose reading ended the thread or the process that read it. */
export interface Trouble {
  tool: SessionTool
  location: string
  /** How far it had been read. */
  position: number
  strikes: number
  reason: string
  at: number
}

/**
 * So many deaths at the same point, and a location is read no more. One may be anybody's doing (a machine that is switched
 * off, a kill); a healthy file is further on when the next one comes.
 */
const mostStrikes = 2

/** Whether a location is left out. */
export function isSkipped({ strikes }: Pick<Trouble, "strikes">): boolean {
  return strikes >= mostStrikes
}

const prefix = "trouble/"
const stateSchema = z.object({ strikes: z.number(), reason: z.string() })

/** All locations that made trouble and were not read since. */
export async function troubles(on: Reader, install: string): Promise<Trouble[]> {
  const rows = await on.read<{ reader: string; file: string; position: number; state: string; at: number }>(
    sql`select reader, file, position, state, at from read_positions
      where install = ${install} and reader like ${`${prefix}%`} order by at, file`,
  )
  return rows.map(({ reader, file, position, state, at }) => ({
    tool: reader.slice(prefix.length) as SessionTool,
    location: file,
    position: Number(position),
    at: Number(at),
    ...stateSchema.parse(JSON.parse(state)),
  }))
}

/** The locations that are read no more. */
export async function skippedLocations(on: Reader, install: string): Promise<Trouble[]> {
  return (await troubles(on, install)).filter(isSkipped)
}

/** Notes that reading a location ended badly; strikes count only where it did not get any further meanwhile. */
export async function strike(
  db: Database,
  install: string,
  { tool, location, position, reason, at }: Omit<Trouble, "strikes">,
  by: By,
): Promise<Trouble> {
  const before = (await troubles(db, install)).find((one) => one.location === location)
  const strikes = before?.position === position ? before.strikes + 1 : 1
  await db.write(async (transaction) => {
    const state = JSON.stringify({ strikes, reason })
    await putPosition(
      transaction,
      { install, reader: prefix + tool, file: location, at },
      { position, state },
    )
    const kind = isSkipped({ strikes }) ? "session.skipped" : "session.failed"
    await appendEntry(transaction, { ...by, at, kind, subject: location, data: { tool, position, reason } })
  })
  return { tool, location, position, strikes, reason, at }
}

/** Forgets the trouble with a location, or with all: it is read again. Tells how many there were. */
export async function pardon(
  db: Database,
  install: string,
  { location, at, by }: { location?: string | undefined; at: number; by: By },
): Promise<number> {
  const known = (await troubles(db, install)).filter(
    (one) => location === undefined || one.location === location,
  )
  if (known.length === 0) return 0
  await db.write(async (transaction) => {
    for (const one of known)
      await transaction.run(sql`
        delete from read_positions
        where install = ${install} and reader = ${prefix + one.tool} and file = ${one.location}`)
    for (const { tool, location: subject } of known)
      await appendEntry(transaction, { ...by, at, kind: "session.retried", subject, data: { tool } })
  })
  return known.length
}
