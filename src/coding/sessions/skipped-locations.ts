import { z } from "zod"
import type { SessionTool } from "../../sessions/session.ts"
import type { Database } from "../../storage/database.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { putPosition } from "../reading/read-positions.ts"

/** A location that crashed the thread or the process that read it. */
export interface ReadFailure {
  tool: SessionTool
  location: string
  /** How far it was read before. */
  position: number
  strikes: number
  reason: string
  at: number
}

/**
 * After this many crashes at the same position a location is skipped. One crash may have another cause, such as a power
 * loss; a healthy file has been read further before the next one.
 */
const mostStrikes = 2

/** Whether a location is no longer read. */
export function isSkipped({ strikes }: Pick<ReadFailure, "strikes">): boolean {
  return strikes >= mostStrikes
}

const prefix = "trouble/"
const stateSchema = z.object({ strikes: z.number(), reason: z.string() })

/** All locations with crashes that were not read successfully since. */
export async function readFailures(on: Reader, install: string): Promise<ReadFailure[]> {
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

/** The locations that are no longer read. */
export async function skippedLocations(on: Reader, install: string): Promise<ReadFailure[]> {
  return (await readFailures(on, install)).filter(isSkipped)
}

/** Records that reading a location crashed. The count starts again if it was read further in the meantime. */
export async function recordFailure(
  db: Database,
  install: string,
  { tool, location, position, reason, at }: Omit<ReadFailure, "strikes">,
  by: By,
): Promise<ReadFailure> {
  const before = (await readFailures(db, install)).find((one) => one.location === location)
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

/** Deletes the failures of a location, or of all, so that it is read again. Returns how many there were. */
export async function clearFailures(
  db: Database,
  install: string,
  { location, at, by }: { location?: string | undefined; at: number; by: By },
): Promise<number> {
  const known = (await readFailures(db, install)).filter(
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
