import { findHolds, type Hold, type HoldRule } from "./holds.ts"
import { type PaceRule, setPace } from "./pace.ts"
import { sanitizeSettings, sanitizeView } from "./sanitize.ts"
import type { BudgetSettings, BudgetView } from "./view.ts"
import { budgetOf, budgetOfDay, isKnown, type WindowBudget } from "./window-budget.ts"

/** The most that one cycle may use of a window. */
export interface Allowance {
  id: string
  unit: WindowBudget["unit"]
  amount: number
}

/** When the next cycle may run, and why. */
export interface Decision {
  /** Whether a cycle may run now if something triggers it; `nextAt` says when one is due anyway. */
  mayRun: boolean
  /** When the next cycle is due; never before now, and never during a hold. */
  nextAt: number
  /** The time between cycles, within the configured bounds. */
  intervalMs: number
  rule: PaceRule | HoldRule
  /** One sentence for the user. */
  reason: string
  windows: readonly WindowBudget[]
  /** 0 for each window if no cycle may run; empty if no limit is known. */
  allowance: readonly Allowance[]
  /** The current holds, the longest first. */
  holds: readonly Hold[]
}

/**
 * The holds that apply to a single call, the longest first: all but the time between cycles. A call that the user asked
 * for is also made while they work.
 */
export function holdsOnCall({ holds }: Pick<Decision, "holds">, isAsked: boolean): Hold[] {
  return holds.filter(({ rule }) => rule !== "too-soon" && !(isAsked && rule === "user-active"))
}

/**
 * Decides when the next cycle may run. The slowest pace of all windows and the longest hold count, so another limit, or
 * more use by the user, never makes it less careful.
 */
export function decideBudget(rawView: BudgetView, rawSettings: BudgetSettings): Decision {
  const view = sanitizeView(rawView)
  const settings = sanitizeSettings(rawSettings)
  const { now, lastCycleAt } = view
  const windows = [
    ...view.windows
      .filter((window) => isKnown(window, now))
      .map((window) => budgetOf(window, view, settings)),
    ...(view.daily ? [budgetOfDay(view.daily, now)] : []),
  ]
  const pace = setPace(view, settings, windows)
  const holds = findHolds(view, settings, windows, pace)
  const due = Math.max(now, lastCycleAt === null ? now : lastCycleAt + pace.intervalMs)
  const longest = holds.toSorted((a, b) => b.until - a.until)
  const nextAt = Math.max(due, longest[0]?.until ?? due)
  const ruling = longest.find(({ rule }) => rule !== "too-soon") ?? pace
  return {
    mayRun: holds.length === 0,
    nextAt,
    intervalMs: pace.intervalMs,
    rule: ruling.rule,
    reason: ruling.reason,
    windows,
    holds: longest,
    allowance: windows
      .filter(({ isBucket }) => !isBucket)
      .map(({ id, unit, allowed }) => ({ id, unit, amount: holds.length === 0 ? allowed : 0 })),
  }
}
