import { appendEntry, type By } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { Answer } from "../choice/access.ts"
import type { Failure } from "../failure.ts"
import { type Pool, pools } from "./limit-reading.ts"
import { rounded } from "./store.ts"

/** Whether a pool may be asked, and its recent refusals and failures. */
export interface PoolState {
  pool: Pool
  /** Consecutive rate-limit refusals, and the time of the last one. An answer does not reset them. */
  refusals: number
  refusedAt: number | null
  /** Not to be asked before this time. */
  blockedUntil: number | null
  /** Answers since the last refusal. */
  calm: number
  /** Consecutive sign-in or billing errors. */
  failures: number
  /** Since when it is stopped, until the user resumes it. */
  stoppedAt: number | null
  reason: string | null
}

/** After this many consecutive sign-in or billing errors, the pool is stopped. */
const mostFailures = 3
/** The first pause after a refusal without a time. It doubles with each further refusal. */
const firstPauseMs = 60_000
const longestPauseMs = 6 * 3_600_000

const columns = sql`pool, refusals, refused_at as "refusedAt", blocked_until as "blockedUntil", calm, failures,
  stopped_at as "stoppedAt", reason`

function newPoolState(pool: Pool): PoolState {
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

export async function poolStates(on: Reader, install: string): Promise<PoolState[]> {
  const states = await on.read<PoolState>(sql`select ${columns} from pool_states where install = ${install}`)
  return pools.map((pool) => states.find((one) => one.pool === pool) ?? newPoolState(pool))
}

export async function poolState(on: Reader, install: string, pool: Pool): Promise<PoolState> {
  const [state] = await on.read<PoolState>(
    sql`select ${columns} from pool_states where install = ${install} and pool = ${pool}`,
  )
  return state ?? newPoolState(pool)
}

/** The state after an answer. Only rate limits, sign-in and billing errors count: a cut stream says nothing of limits. */
export function afterAnswer(state: PoolState, answer: Answer, now: number): PoolState {
  if (answer.outcome === "answered") {
    const { refusals, refusedAt } = state
    return { ...newPoolState(state.pool), refusals, refusedAt, calm: state.calm + 1 }
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

/** Saves a pool's state. Stopping it writes a journal entry. */
export async function savePoolState(
  transaction: Transaction,
  install: string,
  { before, after, now }: { before: PoolState; after: PoolState; now: number },
  by: By,
): Promise<void> {
  await transaction.run(sql`
    insert into pool_states (install, pool, refusals, refused_at, blocked_until, calm, failures, stopped_at, reason,
      updated_at)
    values (${install}, ${after.pool}, ${after.refusals}, ${after.refusedAt}, ${rounded(after.blockedUntil)}, ${after.calm},
      ${after.failures}, ${after.stoppedAt}, ${after.reason}, ${now})
    on conflict (install, pool) do update set refusals = excluded.refusals, refused_at = excluded.refused_at,
      blocked_until = excluded.blocked_until, calm = excluded.calm, failures = excluded.failures,
      stopped_at = excluded.stopped_at, reason = excluded.reason, updated_at = excluded.updated_at`)
  if (before.stoppedAt === null && after.stoppedAt !== null) {
    const data = { reason: after.reason }
    await appendEntry(transaction, { ...by, at: now, kind: "pool.stopped", subject: after.pool, data })
  }
}

/** Lets a stopped pool be asked again. */
export async function resumePool(
  transaction: Transaction,
  install: string,
  { pool, now }: { pool: Pool; now: number },
  by: By,
): Promise<void> {
  const before = await poolState(transaction, install, pool)
  await savePoolState(transaction, install, { before, after: newPoolState(pool), now }, by)
  if (before.stoppedAt !== null)
    await appendEntry(transaction, { ...by, at: now, kind: "pool.resumed", subject: pool })
}
