import { findHolds, type Hold, type HoldRule } from "./holds.ts"
import { type PaceRule, setPace } from "./pace.ts"
import { soundSettings, soundView } from "./sound.ts"
import type { BudgetSettings, BudgetView } from "./view.ts"
import { budgetOf, budgetOfDay, isKnown, type WindowBudget } from "./window-budget.ts"

/** The most that one cycle may use of one window. */
export interface Allowance {
  id: string
  unit: WindowBudget["unit"]
  amount: number
}

/** When the next cycle may run, and why. */
export interface Decision {
  /** Whether a cycle may run now if something asks for it; `nextAt` says when one is due by itself. */
  mayRun: boolean
  /** When the next cycle is due as things are; never before now, and never while something holds it back. */
  nextAt: number
  /** The time between cycles, always within the bounds set. */
  intervalMs: number
  rule: PaceRule | HoldRule
  /** One sentence for people. */
  reason: string
  windows: readonly WindowBudget[]
  /** Nothing for each window if no cycle may run; empty if no limit is known. */
  allowance: readonly Allowance[]
  /** Everything that holds cycles back now, the longest first. */
  holds: readonly Hold[]
}

/**
 * What keeps a single call from being made now, the longest first: all that holds a cycle back but the time between
 * cycles. What a person asks for is also done while they work.
 */
export function holdsOnCall({ holds }: Pick<Decision, "holds">, isAsked: boolean): Hold[] {
  return holds.filter(({ rule }) => rule !== "too-soon" && !(isAsked && rule === "user-active"))
}

/**
 * Decides when the next cycle may run. Every window sets a pace of its own and the slowest counts; everything that
 * holds back is looked at and the longest counts. So one more limit, or more use by the user, never makes it laxer.
 */
export function decideBudget(rawView: BudgetView, rawSettings: BudgetSettings): Decision {
  const view = soundView(rawView)
  const settings = soundSettings(rawSettings)
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
