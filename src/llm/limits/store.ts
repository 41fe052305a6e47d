import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { LimitReading, Pool } from "./limit-reading.ts"

type LearnedFrom = "headers" | "transcript" | "statusline" | "refusal"

export interface StoredReading extends LimitReading {
  pool: Pool
  learnedFrom: LearnedFrom
}

/** An unchanged reading within this time is not stored. */
const unchangedMs = 10 * 60_000
/** How long readings are stored. They show how much of a window a token costs. */
const retentionMs = 21 * 86_400_000

const columns = sql`pool, name as "window", at, unit, capacity, used, resets_at as "resetsAt", length_ms as "lengthMs",
  learned_from as "learnedFrom"`

/** Stores readings that differ from the last one; returns how many. */
export async function saveReadings(
  transaction: Transaction,
  install: string,
  readings: readonly StoredReading[],
): Promise<number> {
  let kept = 0
  for (const reading of readings) {
    const { pool, window, at } = reading
    const [last] = await transaction.read<StoredReading>(sql`
      select ${columns} from limit_readings where install = ${install} and pool = ${pool} and name = ${window} and at <= ${at}
      order by at desc limit 1`)
    if (last && isUnchanged(last, reading)) continue
    kept += await transaction.run(sql`
      insert into limit_readings (install, pool, name, at, unit, capacity, used, resets_at, length_ms, learned_from)
      values (${install}, ${pool}, ${window}, ${at}, ${reading.unit}, ${reading.capacity}, ${reading.used},
        ${rounded(reading.resetsAt)}, ${rounded(reading.lengthMs)}, ${reading.learnedFrom})
      on conflict (install, pool, name, at) do nothing`)
    await transaction.run(sql`
      delete from limit_readings where install = ${install} and pool = ${pool} and name = ${window}
        and at < ${at - retentionMs}`)
  }
  return kept
}

function isUnchanged(last: StoredReading, reading: StoredReading): boolean {
  const isNear = reading.at - last.at < unchangedMs
  return isNear && last.used === reading.used && last.capacity === reading.capacity
}

/** Rounds a time to whole milliseconds. */
export function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}

/** The newest reading of every window of a pool, or of all pools. */
export function newestReadings(on: Reader, install: string, pool?: Pool): Promise<StoredReading[]> {
  const ofPool = pool === undefined ? sql`` : sql`and pool = ${pool}`
  return on.read<StoredReading>(sql`
    select ${columns} from limit_readings r where install = ${install} ${ofPool} and at = (
      select max(at) from limit_readings n
      where n.install = r.install and n.pool = r.pool and n.name = r.name)
    order by pool, length_ms, name`)
}

/** All readings of one window since a time, oldest first. */
export function readingsSince(
  on: Reader,
  install: string,
  window: { pool: Pool; window: string },
  since: number,
): Promise<StoredReading[]> {
  return on.read<StoredReading>(sql`
    select ${columns} from limit_readings where install = ${install} and pool = ${window.pool} and name = ${window.window}
      and at >= ${since} order by at`)
}
