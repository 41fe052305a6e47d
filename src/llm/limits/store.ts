import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { LimitReading, Pool } from "./limit-reading.ts"

/** Where a reading came from. */
type LearnedFrom = "headers" | "transcript" | "statusline" | "refusal"

/** A reading as it is kept. */
export interface KeptReading extends LimitReading {
  pool: Pool
  learnedFrom: LearnedFrom
}

/** Readings that say nothing new within this time are not kept. */
const sameForMs = 10 * 60_000
/** How long readings are kept, for learning what a token costs of a window. */
const keptMs = 21 * 86_400_000

const columns = sql`pool, name as "window", at, unit, capacity, used, resets_at as "resetsAt", length_ms as "lengthMs",
  learned_from as "learnedFrom"`

/** Keeps readings that say something new; returns how many did. */
export async function keepReadings(
  transaction: Transaction,
  install: string,
  readings: readonly KeptReading[],
): Promise<number> {
  let kept = 0
  for (const reading of readings) {
    const { pool, window, at } = reading
    const [last] = await transaction.read<KeptReading>(sql`
      select ${columns} from limit_readings where install = ${install} and pool = ${pool} and name = ${window} and at <= ${at}
      order by at desc limit 1`)
    if (last && isSame(last, reading)) continue
    kept += await transaction.run(sql`
      insert into limit_readings (install, pool, name, at, unit, capacity, used, resets_at, length_ms, learned_from)
      values (${install}, ${pool}, ${window}, ${at}, ${reading.unit}, ${reading.capacity}, ${reading.used},
        ${whole(reading.resetsAt)}, ${whole(reading.lengthMs)}, ${reading.learnedFrom})
      on conflict (install, pool, name, at) do nothing`)
    await transaction.run(sql`
      delete from limit_readings where install = ${install} and pool = ${pool} and name = ${window}
        and at < ${at - keptMs}`)
  }
  return kept
}

function isSame(last: KeptReading, reading: KeptReading): boolean {
  const isNear = reading.at - last.at < sameForMs
  return isNear && last.used === reading.used && last.capacity === reading.capacity
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}

/** The newest reading of every window of a pool, or of all pools. */
export function newestReadings(on: Reader, install: string, pool?: Pool): Promise<KeptReading[]> {
  const ofPool = pool === undefined ? sql`` : sql`and pool = ${pool}`
  return on.read<KeptReading>(sql`
    select ${columns} from limit_readings r where install = ${install} ${ofPool} and at = (
      select max(at) from limit_readings n
      where n.install = r.install and n.pool = r.pool and n.name = r.name)
    order by pool, length_ms, name`)
}

/** All readings of one window since a moment, oldest first. */
export function readingsSince(
  on: Reader,
  install: string,
  window: { pool: Pool; window: string },
  since: number,
): Promise<KeptReading[]> {
  return on.read<KeptReading>(sql`
    select ${columns} from limit_readings where install = ${install} and pool = ${window.pool} and name = ${window.window}
      and at >= ${since} order by at`)
}
