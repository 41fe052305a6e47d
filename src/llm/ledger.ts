import { isoTime } from "../base/clock.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { joinSql, plainSql, type Sql, sql, sqlRows } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"
import type { FailureKind } from "./failure.ts"
import type { Pool } from "./limits/limit-reading.ts"

/** The purpose of a call, or "user" for a call by the user's own tools. */
export type Source = "user" | "ambient" | "chat" | "judge" | "extraction"

/** One call to a model, by Reverie or by the user's own tools. */
export interface ModelCall {
  id: string
  at: number
  source: Source
  cycle: string | null
  pool: Pool
  /** The access or the user's tool that made the call. */
  way: string
  model: string
  input: number
  /** The part of the input that came from the provider's cache. */
  cachedInput: number
  output: number
  /** In US dollars; null if it costs nothing extra or is unknown. */
  costUsd: number | null
  latencyMs: number | null
  outcome: "answered" | FailureKind
  reason: string | null
}

/** Adds one of Reverie's calls to the ledger, with its journal entry. */
export async function recordCall(
  transaction: Transaction,
  install: string,
  call: ModelCall,
  by: By,
): Promise<void> {
  await insert(transaction, install, [call])
  const { id, at, ...data } = call
  await appendEntry(transaction, { ...by, at, kind: "model.called", subject: id, data })
}

/** Adds calls of the user's own tools; known ones are skipped. Returns how many were new. */
export async function recordUserCalls(
  transaction: Transaction,
  install: string,
  calls: readonly ModelCall[],
): Promise<number> {
  let added = 0
  for (let from = 0; from < calls.length; from += 100)
    added += await insert(transaction, install, calls.slice(from, from + 100))
  return added
}

async function insert(
  transaction: Transaction,
  install: string,
  calls: readonly ModelCall[],
): Promise<number> {
  const rows = calls.map((call) => [
    call.id,
    install,
    call.at,
    call.source,
    call.cycle,
    call.pool,
    call.way,
    call.model,
    call.input,
    call.cachedInput,
    call.output,
    call.costUsd,
    call.latencyMs,
    call.outcome,
    call.reason,
  ])
  return transaction.run(sql`
    insert into model_calls (id, install, at, source, cycle, pool, way, model, input, cached_input, output, cost_usd,
      latency_ms, outcome, reason)
    values ${sqlRows(rows)} on conflict (id) do nothing`)
}

export interface CallQuery {
  install: string
  since?: number | undefined
  until?: number | undefined
  sources?: readonly Source[] | undefined
  pool?: Pool | undefined
  cycle?: string | undefined
}

function matching(query: CallQuery): Sql {
  const conditions = [sql`install = ${query.install}`]
  if (query.since !== undefined) conditions.push(sql`at >= ${query.since}`)
  if (query.until !== undefined) conditions.push(sql`at < ${query.until}`)
  if (query.pool !== undefined) conditions.push(sql`pool = ${query.pool}`)
  if (query.cycle !== undefined) conditions.push(sql`cycle = ${query.cycle}`)
  if (query.sources !== undefined) {
    const each = query.sources.map((source) => sql`${source}`)
    conditions.push(sql`source in (${joinSql(each, sql`, `)})`)
  }
  return joinSql(conditions, sql` and `)
}

export interface Totals {
  calls: number
  failed: number
  input: number
  cachedInput: number
  output: number
  costUsd: number
  /** Total milliseconds of the calls whose duration is known. */
  latencyMs: number
}

/** A sum of integers. Without the cast, PostgreSQL returns it as text. */
function wholeSum(of: Sql): Sql {
  return sql`cast(coalesce(sum(${of}), 0) as bigint)`
}

const totals = sql`count(*) as calls, ${wholeSum(sql`case when outcome = 'answered' then 0 else 1 end`)} as failed,
  ${wholeSum(sql`input`)} as input, ${wholeSum(sql`cached_input`)} as "cachedInput",
  ${wholeSum(sql`output`)} as output, coalesce(sum(cost_usd), 0) as "costUsd",
  ${wholeSum(sql`latency_ms`)} as "latencyMs"`

export async function totalOf(on: Reader, query: CallQuery): Promise<Totals> {
  const [row] = await on.read<Totals>(sql`select ${totals} from model_calls where ${matching(query)}`)
  return row ?? { calls: 0, failed: 0, input: 0, cachedInput: 0, output: 0, costUsd: 0, latencyMs: 0 }
}

export interface CallsOfModel extends Omit<Totals, "latencyMs"> {
  source: Source
  model: string
}

/** The calls of one cycle, by purpose and model. */
export async function cycleCalls(on: Reader, install: string, cycle: string): Promise<CallsOfModel[]> {
  const rows = await on.read<CallsOfModel & Totals>(sql`
    select source, model, ${totals} from model_calls where ${matching({ install, cycle })}
    group by source, model order by source, model`)
  return rows.map(({ latencyMs, ...rest }) => rest)
}

export interface UsageRow extends Totals {
  /** YYYY-MM-DD in the requested time zone. */
  day: string
  source: Source
  pool: Pool
  model: string
}

/** Calls by day, source and model, newest day first. `zoneMs` is the offset of local time from UTC. */
export async function usageByDay(on: Reader, query: CallQuery, zoneMs: number): Promise<UsageRow[]> {
  const rows = await on.read<Omit<UsageRow, "day"> & { start: number }>(sql`
    select at + ${zoneMs} - (at + ${zoneMs}) % 86400000 as start, source, pool, model, ${totals}
    from model_calls where ${matching(query)}
    group by 1, source, pool, model order by 1 desc, source, pool, model`)
  return rows.map(({ start, ...row }) => ({ ...row, day: isoTime(Number(start)).slice(0, 10) }))
}

/** Use of a pool in one step of time; `at` is the last use in it. */
export interface UseStep {
  at: number
  isUser: boolean
  /** Tokens weighted as providers count them. */
  weight: number
  tokens: number
  requests: number
}

/** Use of a pool by the user and by Reverie in steps of `stepMs`, oldest first. */
export async function useOverTime(
  on: Reader,
  query: CallQuery & { pool: Pool },
  stepMs: number,
): Promise<UseStep[]> {
  const rows = await on.read<Omit<UseStep, "isUser"> & { isUser: number }>(sql`
    select max(at) as at, case when source = 'user' then 1 else 0 end as "isUser", ${weight} as weight,
      ${wholeSum(sql`input + output`)} as tokens, count(*) as requests
    from model_calls where ${matching(query)} group by at - at % ${stepMs}, 2 order by 1`)
  return rows.map((row) => ({ ...row, isUser: row.isUser === 1 }))
}

/** Weights of tokens, as in providers' prices: cached input counts little, output most. */
const cachedWeight = 0.1
const outputWeight = 5

const weight = sql`cast(coalesce(sum(input - cached_input + ${plainSql(`${cachedWeight}`)} * cached_input
  + ${plainSql(`${outputWeight}`)} * output), 0) as double precision)`

/** When the user's own tools first or last asked a model of this pool; null for never. */
export async function userCallTime(
  on: Reader,
  install: string,
  pool: Pool,
  which: "first" | "last",
): Promise<number | null> {
  const time = which === "first" ? sql`min(at)` : sql`max(at)`
  const [row] = await on.read<{ at: number | null }>(sql`
    select ${time} as at from model_calls where ${matching({ install, pool, sources: ["user"] })}`)
  return row?.at ?? null
}

export interface CycleUse extends Omit<UseStep, "isUser"> {
  cycle: string
  costUsd: number
}

/** The newest cycles' use of a pool, oldest first. */
export async function recentCycles(
  on: Reader,
  query: CallQuery & { pool: Pool },
  limit: number,
): Promise<CycleUse[]> {
  const rows = await on.read<CycleUse>(sql`
    select cycle, max(at) as at, ${weight} as weight, ${wholeSum(sql`input + output`)} as tokens,
      count(*) as requests, coalesce(sum(cost_usd), 0) as "costUsd" from model_calls
    where ${matching(query)} and cycle is not null and source = 'ambient'
    group by cycle order by 2 desc limit ${limit}`)
  return rows.toReversed()
}

/** The cost of calls with paid keys since a moment. */
export async function paidSince(
  on: Reader,
  install: string,
  since: number,
): Promise<{ usd: number; oldest: number | null }> {
  const [row] = await on.read<{ usd: number | null; oldest: number | null }>(sql`
    select sum(cost_usd) as usd, min(at) as oldest from model_calls
    where install = ${install} and at > ${since} and cost_usd > 0 and source <> 'user'`)
  return { usd: Number(row?.usd ?? 0), oldest: row?.oldest ?? null }
}
