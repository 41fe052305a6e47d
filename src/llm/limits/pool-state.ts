import { appendEntry, type By } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { Answer } from "../choice/access.ts"
import type { Failure } from "../failure.ts"
import { type Pool, pools } from "./limit-reading.ts"

/** How a pool stands: whether it may be asked, and what it did to us lately. */
export interface PoolState {
  pool: Pool
  /** The last rate-limit refusals in a row, and when the last one was. They stay on record after an answer. */
  refusals: number
  refusedAt: number | null
  /** Until when the provider wants to be left alone. */
  blockedUntil: number | null
  /** Answers since the last refusal. */
  calm: number
  /** Errors of sign-in or credit in a row. */
  failures: number
  /** Since when it is not asked any more, until the user mends it. */
  stoppedAt: number | null
  reason: string | null
}

/** After this many errors of sign-in or credit in a row nothing more is tried. */
const mostFailures = 3
/** The first pause after a refusal that names no time; it doubles with each further one. */
const firstPauseMs = 60_000
const longestPauseMs = 6 * 3_600_000

const columns = sql`pool, refusals, refused_at as "refusedAt", blocked_until as "blockedUntil", calm, failures,
  stopped_at as "stoppedAt", reason`

function fresh(pool: Pool): PoolState {
  return {
    pool,
    refusals: 0,
    refusedAt: null,
    blockedUntil: null,
    calm: 0,
    failures: 0,
    stoppedAt: null,
    reason: null,
  }
}

/** How every pool stands. */
export async function poolStates(on: Reader, install: string): Promise<PoolState[]> {
  const states = await on.read<PoolState>(sql`select ${columns} from pool_states where install = ${install}`)
  return pools.map((pool) => states.find((one) => one.pool === pool) ?? fresh(pool))
}

/** How one pool stands. */
export async function poolState(on: Reader, install: string, pool: Pool): Promise<PoolState> {
  const [state] = await on.read<PoolState>(
    sql`select ${columns} from pool_states where install = ${install} and pool = ${pool}`,
  )
  return state ?? fresh(pool)
}

/** What an answer makes of a pool. Only refusals, sign-in and credit count: a cut stream says nothing of limits. */
export function afterAnswer(state: PoolState, answer: Answer, now: number): PoolState {
  if (answer.outcome === "answered") {
    const { refusals, refusedAt } = state
    return { ...fresh(state.pool), refusals, refusedAt, calm: state.calm + 1 }
  }
  const { failure } = answer
  switch (failure.kind) {
    case "rate-limited":
      return {
        ...state,
        refusals: state.calm > 0 ? 1 : state.refusals + 1,
        refusedAt: now,
        calm: 0,
        blockedUntil: pauseEnd(state, failure, now),
        reason: failure.message,
      }
    case "auth":
    case "billing": {
      const failures = state.failures + 1
      const stoppedAt = failures >= mostFailures ? (state.stoppedAt ?? now) : state.stoppedAt
      return { ...state, failures, stoppedAt, reason: failure.message }
    }
    default:
      return state
  }
}

function pauseEnd(state: PoolState, failure: Failure, now: number): number {
  const inARow = state.calm > 0 ? 0 : state.refusals
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** inARow)
  return Math.max(
    failure.retryAt ?? 0,
    now + (failure.retryAt === undefined ? pause : 0),
    state.blockedUntil ?? 0,
  )
}

/** Keeps how a pool stands; that it is stopped is told in the journal, once. */
export async function keepState(
  transaction: Transaction,
  install: string,
  { before, after, now }: { before: PoolState; after: PoolState; now: number },
  by: By,
): Promise<void> {
  await transaction.run(sql`
    insert into pool_states (install, pool, refusals, refused_at, blocked_until, calm, failures, stopped_at, reason,
      updated_at)
    values (${install}, ${after.pool}, ${after.refusals}, ${after.refusedAt}, ${wholeOrNull(after.blockedUntil)}, ${after.calm},
      ${after.failures}, ${after.stoppedAt}, ${after.reason}, ${now})
    on conflict (install, pool) do update set refusals = excluded.refusals, refused_at = excluded.refused_at,
      blocked_until = excluded.blocked_until, calm = excluded.calm, failures = excluded.failures,
      stopped_at = excluded.stopped_at, reason = excluded.reason, updated_at = excluded.updated_at`)
  if (before.stoppedAt === null && after.stoppedAt !== null) {
    const data = { reason: after.reason }
    await appendEntry(transaction, { ...by, at: now, kind: "pool.stopped", subject: after.pool, data })
  }
}

function wholeOrNull(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}

/** Lets a pool be asked again, after the user mended what was wrong. */
export async function resumePool(
  transaction: Transaction,
  install: string,
  { pool, now }: { pool: Pool; now: number },
  by: By,
): Promise<void> {
  const before = await poolState(transaction, install, pool)
  await keepState(transaction, install, { before, after: fresh(pool), now }, by)
  if (before.stoppedAt !== null)
    await appendEntry(transaction, { ...by, at: now, kind: "pool.resumed", subject: pool })
}
