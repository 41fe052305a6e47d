import type { LimitUnit } from "../../llm/limits/limit-reading.ts"
import { paceOfUser, projectUser, usedSince } from "./project-user.ts"
import type { BudgetSettings, BudgetView, DailyCap, WindowView } from "./view.ts"

/** What one window leaves for Reverie's own work, in its unit. */
export interface WindowBudget {
  id: string
  unit: LimitUnit | "usd"
  capacity: number
  /** The three parts of the bar in the status. */
  user: number
  ambient: number
  remaining: number
  /** What the user may still need until it resets. */
  projectedUser: number
  /** What Reverie may still use until it resets. */
  allowed: number
  /** `allowed` in cycles of the usual cost. */
  cyclesLeft: number
  /** The usual cost of a cycle. */
  cycleCost: number
  resetsAt: number
  lengthMs: number
  /** Whether it resets before a cycle is over: it limits the rate of calls, not their number. */
  isBucket: boolean
}

/** Providers round percents: one more point may be used. */
const percentDoubt = 1
/** The assumed cost of a cycle before any is known, as a share of the window. */
const firstCycleShare = 0.01
/** The least cost of a cycle, as a share of the window. */
const leastCycleShare = 0.0001
/** Older readings, and those older than two windows, are ignored: plans change. */
const oldestReadingMs = 28 * 86_400_000

/** Whether the last reading still counts: its window has not ended, or ended recently. */
export function isKnown(window: WindowView, now: number): boolean {
  return window.resetsAt > now || window.readAt >= now - Math.max(oldestReadingMs, 2 * window.lengthMs)
}

/**
 * What a window leaves for Reverie: its capacity without the user's past and projected use, without the reserve, and
 * without what Reverie has used. If a cycle may run past its end, the next window must allow it too.
 */
export function budgetOf(window: WindowView, view: BudgetView, settings: BudgetSettings): WindowBudget {
  const { id, unit, capacity, lengthMs } = window
  const present = presentWindow(window, view.now)
  const { used, ambient, resetsAt } = present
  const isBucket = lengthMs < settings.cycleMs
  const { projectedUser, share } = shareOf(window, view, settings, present, isBucket)
  const next =
    !isBucket && resetsAt - view.now < settings.cycleMs
      ? shareOf(window, view, settings, nextWindow(window, view.now), false)
      : undefined
  const remaining = Math.max(0, capacity - used)
  const allowed = Math.max(0, Math.min(share - ambient, next?.share ?? share, remaining))
  const cycleCost = usualCost(window.cycleCosts, capacity)
  return {
    ...{ id, unit, capacity, user: used - ambient, ambient, remaining, projectedUser, allowed },
    ...{ cyclesLeft: allowed / cycleCost, cycleCost, resetsAt, lengthMs, isBucket },
  }
}

/** What the user may still need of a window, and what Reverie may use of it in all. */
function shareOf(
  window: WindowView,
  { now, lastUserActivityAt }: BudgetView,
  { reserve }: BudgetSettings,
  present: PresentWindow,
  isBucket: boolean,
) {
  const { used, ambient, beganAt, resetsAt, isNew } = present
  const restMs = resetsAt - now
  const isUserIn = lastUserActivityAt !== null && lastUserActivityAt > beganAt
  // A bucket refills at once: only the user's current pace is reserved.
  const projectedUser = isBucket
    ? paceOfUser(window, now, restMs)
    : projectUser(window, { now, restMs, isNew, isUserIn })
  const doubt = window.unit === "percent" ? percentDoubt : 0
  const left = window.capacity - (used - ambient) - doubt
  const share = (1 - reserve) * Math.max(0, left - projectedUser)
  return { projectedUser, share }
}

interface PresentWindow {
  used: number
  ambient: number
  beganAt: number
  resetsAt: number
  /** Whether it would begin with the next call. */
  isNew: boolean
}

/** The current window: if the one that was read is over, the next one, with the known use since then. */
function presentWindow(window: WindowView, now: number): PresentWindow {
  const { used, resetsAt, lengthMs, ambientUsed, userUse } = window
  if (resetsAt > now) {
    const beganAt = resetsAt - lengthMs
    return { used, ambient: Math.min(used, ambientUsed), beganAt, resetsAt, isNew: false }
  }
  const beganAt = Math.max(resetsAt, now - lengthMs)
  const usedSinceThen = usedSince(userUse, beganAt) + ambientUsed
  return { used: usedSinceThen, ambient: ambientUsed, beganAt, resetsAt: now + lengthMs, isNew: true }
}

/** The window after the present one, as if it began now. */
function nextWindow({ lengthMs }: WindowView, now: number): PresentWindow {
  return { used: 0, ambient: 0, beganAt: now, resetsAt: now + lengthMs, isNew: true }
}

/** The daily cap as a window that only Reverie uses. */
export function budgetOfDay(daily: DailyCap, now: number): WindowBudget {
  const { capUsd: capacity, resetsAt } = daily
  const isOver = resetsAt <= now
  const ambient = isOver ? 0 : daily.spentUsd
  const remaining = Math.max(0, capacity - ambient)
  const cycleCost = usualCost(daily.cycleCostsUsd, capacity)
  return {
    ...{ id: "day", unit: "usd", capacity, user: 0, ambient, remaining, projectedUser: 0 },
    ...{ allowed: remaining, cyclesLeft: remaining / cycleCost, cycleCost },
    ...{ resetsAt: isOver ? now + dayMs : resetsAt, lengthMs: dayMs, isBucket: false },
  }
}

const dayMs = 86_400_000

/** The mean of the last five cycles, or an estimate. */
function usualCost(costs: readonly number[], capacity: number): number {
  const last = costs.slice(-5)
  const mean =
    last.length === 0 ? capacity * firstCycleShare : last.reduce((sum, cost) => sum + cost, 0) / last.length
  return Math.max(mean, capacity * leastCycleShare) || 1
}

export function isExhausted({ remaining }: WindowBudget): boolean {
  return remaining <= 0
}

/** Above this share of its own budget, Reverie uses the longest interval. */
const nearlySpentShare = 0.8
/** The last part of a window, in which the rest is used before it expires. */
const lastPart = 0.1

/** Whether most of Reverie's own budget in this window is used. */
export function isNearlySpent({ ambient, allowed }: WindowBudget): boolean {
  return ambient > 0 && ambient > nearlySpentShare * (ambient + allowed)
}

export function isEnding({ resetsAt, lengthMs }: WindowBudget, now: number): boolean {
  return resetsAt - now <= lastPart * lengthMs
}
