import type { LimitUnit } from "../../llm/limits/limit-reading.ts"
import { paceOfUser, projectUser, usedSince } from "./project-user.ts"
import type { BudgetSettings, BudgetView, DailyCap, WindowView } from "./view.ts"

/** What one window leaves for own work, all in its unit. */
export interface WindowBudget {
  id: string
  unit: LimitUnit | "usd"
  capacity: number
  /** The three parts of the bar. */
  user: number
  ambient: number
  remaining: number
  /** What the user may still need until it resets. */
  projectedUser: number
  /** What own work may still use until it resets. */
  allowed: number
  /** How many cycles of the usual cost that is. */
  cyclesLeft: number
  /** The usual cost of a cycle. */
  cycleCost: number
  resetsAt: number
  lengthMs: number
  /** Whether it is full again before a cycle is over: it bounds how fast calls come, not how many there may be. */
  isBucket: boolean
}

/** Providers tell percent as whole numbers: one point may be used that is not told yet. */
const percentDoubt = 1
/** Before any cycle's cost is known, it is taken to be this share of the window. */
const firstCycleShare = 0.01
/** However little is told, a cycle costs this share of the window. */
const leastCycleShare = 0.0001
/** A reading tells nothing any more when it is older than this, or than two windows: plans change. */
const oldestReadingMs = 28 * 86_400_000

/** Whether the last reading still tells something: a window that runs on does, and one that ended not long ago. */
export function isKnown(window: WindowView, now: number): boolean {
  return window.resetsAt > now || window.readAt >= now - Math.max(oldestReadingMs, 2 * window.lengthMs)
}

/**
 * What a window leaves: the user's share, used and still to come, is taken off first; of the rest the reserve stays
 * untouched to the end, and what own work used already counts against what is left. So close to its end that a cycle
 * may run over it, the next window must allow it too.
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

/** What the user may still need of a window, and what own work may use of it in all. */
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
  // Nobody saves up a bucket for later: only what the user takes out of it at present is theirs.
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

/** The window as it is now: if the one that was read is over, the next one, with what is known to be in it. */
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

/** A day's cap as a window that is all Reverie's own. */
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

/** The mean of the last five cycles, or a careful guess. */
function usualCost(costs: readonly number[], capacity: number): number {
  const last = costs.slice(-5)
  const mean =
    last.length === 0 ? capacity * firstCycleShare : last.reduce((sum, cost) => sum + cost, 0) / last.length
  return Math.max(mean, capacity * leastCycleShare) || 1
}

/** Whether nothing at all is left until it resets. */
export function isExhausted({ remaining }: WindowBudget): boolean {
  return remaining <= 0
}

/** Over this share of its own budget, it goes as slowly as it may. */
const nearlySpentShare = 0.8
/** The last part of a window, in which what is left would be lost. */
const lastPart = 0.1

/** Whether most of what own work may use in this window is used. */
export function isNearlySpent({ ambient, allowed }: WindowBudget): boolean {
  return ambient > 0 && ambient > nearlySpentShare * (ambient + allowed)
}

/** Whether the window ends soon. */
export function isEnding({ resetsAt, lengthMs }: WindowBudget, now: number): boolean {
  return resetsAt - now <= lastPart * lengthMs
}
