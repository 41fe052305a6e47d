import type { Config } from "../config/schema.ts"
import { costOf } from "../llm/choice/catalog.ts"
import {
  type CycleUse,
  paidSince,
  recentCycles,
  type UseStep,
  useOverTime,
  userCallTime,
} from "../llm/ledger.ts"
import type { LimitUnit, Pool } from "../llm/limits/limit-reading.ts"
import { poolState } from "../llm/limits/pool-state.ts"
import { isPaidPool } from "../llm/limits/pools.ts"
import { newestReadings, readingsSince, type StoredReading } from "../llm/limits/store.ts"
import type { InstallCore } from "../storage/core.ts"
import { type Decision, decideBudget } from "./budget/decide.ts"
import { tokenStop } from "./budget/token-stop.ts"
import { unitsPerToken } from "./budget/units-per-token.ts"
import type { BudgetSettings, BudgetView, Use, WindowView } from "./budget/view.ts"
import { viewWindow } from "./budget/view-window.ts"

/** The budget of the pool that a cycle would use. */
export interface BudgetStatus {
  pool: Pool
  decision: Decision
  /** The most tokens that a cycle may use now. */
  cycleTokens: number
  /** The newest reading of each window. */
  readings: StoredReading[]
}

const dayMs = 86_400_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** How far back use is read, in which steps, and from how many cycles their cost is learned. */
const historyMs = 14 * dayMs
const stepMs = minuteMs
const cyclesCounted = 5
const stretch = 4
const defaultIntervalMs = 30 * minuteMs
const longestCycleMs = 15 * minuteMs

/** The budget of a pool: applies the rules of `budget/` to the ledger and the readings. `model` sets the price of tokens. */
export async function budgetStatus(needs: InstallCore, pool: Pool, model = ""): Promise<BudgetStatus> {
  const { db, clock, config, install } = needs
  const now = clock.now()
  const since = now - historyMs
  const steps = await useOverTime(db, { install, pool, since }, stepMs)
  const cycles = await recentCycles(db, { install, pool, since }, cyclesCounted)
  const readings = await newestReadings(db, install, pool)
  const knownSince = Math.max(since, (await userCallTime(db, install, pool, "first")) ?? now)
  const prices: Record<string, number | undefined> = {}
  const windows: WindowView[] = []
  for (const { window, unit } of readings) {
    const all = await readingsSince(db, install, { pool, window }, since)
    const measure = measureFor(unit)
    const spends = steps.map((step) => ({ at: step.at, amount: measure(step) }))
    const perToken = unit === "percent" ? unitsPerToken(all, spends) : 1
    prices[window] = perToken === undefined ? undefined : perToken * weightOfToken(unit, steps)
    const view = viewWindow(
      {
        readings: all,
        userSpends: ofUser(steps, true, measure),
        ambientSpends: ofUser(steps, false, measure),
        cycleTokens: cycles.map(measure),
        perToken,
        knownSince,
      },
      now,
    )
    if (view) windows.push(view)
  }
  // Most of a conversation is input, but output is what costs.
  if (isPaidPool(pool)) prices.day = costOf(model, { input: 0.8, cachedInput: 0, output: 0.2 })
  const decision = decideBudget(await viewOf(needs, pool, { windows, cycles, now }), settingsOf(config, pool))
  const cycleTokens = tokenStop(decision.allowance, prices, config.budget.cycle_tokens)
  return { pool, decision, cycleTokens, readings }
}

type Measure = (use: Pick<UseStep | CycleUse, "weight" | "tokens" | "requests">) => number

/** What a window of this unit counts. */
function measureFor(unit: LimitUnit): Measure {
  switch (unit) {
    case "percent":
      return ({ weight }) => weight
    case "requests":
      return ({ requests }) => requests
    default:
      return ({ tokens }) => tokens
  }
}

function ofUser(steps: readonly UseStep[], isUser: boolean, measure: Measure): Use[] {
  return steps
    .filter((step) => step.isUser === isUser)
    .map((step) => ({ at: step.at, amount: measure(step) }))
}

/** How much one of our tokens adds to the window's count, on average; 1 while that is unknown. */
function weightOfToken(unit: LimitUnit, steps: readonly UseStep[]): number {
  const ours = steps.filter(({ isUser }) => !isUser)
  const tokens = ours.reduce((sum, step) => sum + step.tokens, 0)
  if (unit !== "percent" && unit !== "requests") return 1
  const counted = ours.reduce((sum, step) => sum + measureFor(unit)(step), 0)
  return tokens > 0 ? counted / tokens : 1
}

async function viewOf(
  needs: InstallCore,
  pool: Pool,
  { windows, cycles, now }: { windows: WindowView[]; cycles: CycleUse[]; now: number },
): Promise<BudgetView> {
  const { db, install } = needs
  const state = await poolState(db, install, pool)
  const refusals =
    state.refusals > 0 && state.refusedAt !== null
      ? { inARow: state.refusals, lastAt: state.refusedAt, blockedUntil: state.blockedUntil }
      : null
  return {
    now,
    windows,
    lastUserActivityAt: await userCallTime(db, install, pool, "last"),
    refusals,
    calmCycles: cycles.filter(({ at }) => at > (state.refusedAt ?? 0)).length,
    lastCycleAt: cycles.at(-1)?.at ?? null,
    daily: isPaidPool(pool) ? await dailyCap(needs, cycles, now) : null,
  }
}

async function dailyCap({ db, install, config }: InstallCore, cycles: readonly CycleUse[], now: number) {
  const { usd, oldest } = await paidSince(db, install, now - dayMs)
  return {
    spentUsd: usd,
    capUsd: config.models.daily_usd,
    resetsAt: (oldest ?? now) + dayMs,
    cycleCostsUsd: cycles.map(({ costUsd }) => costUsd),
  }
}

function settingsOf({ budget }: Config, pool: Pool): BudgetSettings {
  return {
    minIntervalMs: budget.min_interval_minutes * minuteMs,
    maxIntervalMs: Math.max(budget.max_interval_minutes, budget.min_interval_minutes) * minuteMs,
    // The user's own server has no limits.
    defaultIntervalMs: pool === "local" ? budget.min_interval_minutes * minuteMs : defaultIntervalMs,
    reserve: budget.reserve,
    userActiveMs: budget.user_active_minutes * minuteMs,
    whenUserActive: budget.when_user_active,
    stretch,
    idleAfterMs: budget.idle_after_hours * hourMs,
    cycleMs: longestCycleMs,
  }
}
