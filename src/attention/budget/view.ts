import type { LimitUnit } from "../../llm/limits/limit-reading.ts"

/** An amount used at a time. May be a sum over up to an hour, dated to the last use in it. */
export interface Use {
  at: number
  amount: number
}

/** One limit of the pool that a cycle would use. All amounts are in its unit. */
export interface WindowView {
  id: string
  unit: LimitUnit
  capacity: number
  /** Used by anyone: the last reading, and the ledger since. */
  used: number
  /** If this has passed, the window counts as new, with only the use since then. */
  resetsAt: number
  lengthMs: number
  /** The time of the last reading. */
  readAt: number
  /** The user's use of the last four weeks at most, oldest first. */
  userUse: readonly Use[]
  /** Since when the user's use is known. */
  knownSince: number
  /** Reverie's use in the current window; since the reset, if that has passed. */
  ambientUsed: number
  /** The costs of the last cycles; five of them count. */
  cycleCosts: readonly number[]
}

/** The provider's last rate-limit refusals. They stay after a success, so that the pace recovers gradually. */
interface Refusals {
  inARow: number
  lastAt: number
  /** Until when the provider asked to wait. */
  blockedUntil: number | null
}

/** The daily limit for paid keys. */
export interface DailyCap {
  spentUsd: number
  capUsd: number
  resetsAt: number
  /** The costs of the last cycles; five of them count. */
  cycleCostsUsd: readonly number[]
}

/** Everything that the budget's decision depends on. */
export interface BudgetView {
  now: number
  /** Empty if nothing is known about the limits. */
  windows: readonly WindowView[]
  lastUserActivityAt: number | null
  refusals: Refusals | null
  /** Cycles since the last refusal. */
  calmCycles: number
  lastCycleAt: number | null
  /** Null for a subscription or a local server. */
  daily: DailyCap | null
}

export interface BudgetSettings {
  minIntervalMs: number
  maxIntervalMs: number
  /** While the limits are unknown. */
  defaultIntervalMs: number
  /** The share of what the user leaves over that stays unused. */
  reserve: number
  /** How long the user counts as active after their last activity. */
  userActiveMs: number
  whenUserActive: "pause" | "stretch"
  /** Multiplies the interval while the user is active, if cycles are not paused. */
  stretch: number
  /** After this time without the user, cycles come more often. */
  idleAfterMs: number
  /** The longest duration of a cycle. One that runs into the next window must be allowed there too. */
  cycleMs: number
}
