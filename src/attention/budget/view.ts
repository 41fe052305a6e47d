import type { LimitUnit } from "../../llm/limits/limit-reading.ts"

/** Something used at a moment; sums over at most an hour each will do, told at the last use in them. */
export interface Use {
  at: number
  amount: number
}

/** One limit of the pool a cycle would draw on, with what is known about its use. All amounts are in its unit. */
export interface WindowView {
  id: string
  unit: LimitUnit
  capacity: number
  /** Used by anyone, as far as is known now: the last reading, and what the ledger knows since. */
  used: number
  /** If it has passed, the window counts as new: only `userUse` and `ambientUsed` since then are in it. */
  resetsAt: number
  lengthMs: number
  /** When the provider was last heard about it. */
  readAt: number
  /** What the user used, oldest first, as far back as is known and useful (four weeks). */
  userUse: readonly Use[]
  /** Since when the user's use is known at all. */
  knownSince: number
  /** Own use inside the present window; since the reset, if that has passed. */
  ambientUsed: number
  /** What the last cycles cost; the last five count. */
  cycleCosts: readonly number[]
}

/** The last refusals for going too fast. They stay after a success, so that the pace comes back gradually. */
interface Refusals {
  inARow: number
  lastAt: number
  /** Until when the provider said to wait. */
  blockedUntil: number | null
}

/** What may be spent on paid keys in a day. */
export interface DailyCap {
  spentUsd: number
  capUsd: number
  resetsAt: number
  /** What the last cycles cost; the last five count. */
  cycleCostsUsd: readonly number[]
}

/** All that decides when the next cycle may run. */
export interface BudgetView {
  now: number
  /** Empty if nothing is known about the limits. */
  windows: readonly WindowView[]
  lastUserActivityAt: number | null
  refusals: Refusals | null
  /** Cycles without a refusal, since the last one or ever. */
  calmCycles: number
  lastCycleAt: number | null
  /** Null for a subscription or a local server. */
  daily: DailyCap | null
}

export interface BudgetSettings {
  minIntervalMs: number
  maxIntervalMs: number
  /** While nothing is known about the limits. */
  defaultIntervalMs: number
  /** The share of what the user leaves that is left alone all the same. */
  reserve: number
  /** For so long after the last activity the user counts as active. */
  userActiveMs: number
  whenUserActive: "pause" | "stretch"
  /** By how much the interval grows while the user is active, if it does not pause. */
  stretch: number
  /** After so long without the user, cycles come more often. */
  idleAfterMs: number
  /** A cycle may last so long; one that runs into the next window must be allowed there too. */
  cycleMs: number
}
