import { type Decision, decideBudget } from "../../src/attention/budget/decide.ts"
import { usedSince } from "../../src/attention/budget/project-user.ts"
import { tokenStop } from "../../src/attention/budget/token-stop.ts"
import type { BudgetSettings } from "../../src/attention/budget/view.ts"
import type { Ledger } from "./ledger.ts"
import { hourMs, minuteMs } from "./plans.ts"

/** What to do now: run a cycle of at most so many tokens, or look again later. */
interface Step {
  stopAfter: number
  lookAgainAt: number
  isPausedForUser: boolean
}

/** A way to decide when cycles run. */
export interface Strategy {
  name: string
  decide(ledger: Ledger, now: number): Step
}

const settings: BudgetSettings = {
  minIntervalMs: 5 * minuteMs,
  maxIntervalMs: 120 * minuteMs,
  defaultIntervalMs: 30 * minuteMs,
  reserve: 0.2,
  userActiveMs: 15 * minuteMs,
  whenUserActive: "pause",
  stretch: 4,
  idleAfterMs: 3 * hourMs,
  cycleMs: 10 * minuteMs,
}

const mostTokens = 1e6

/** The product's own functions. */
export const own: Strategy = {
  name: "reverie",
  decide(ledger, now) {
    const decision = decideBudget(ledger.view(now), settings)
    const { rule, nextAt, allowance } = decision
    const soon = Math.min(Math.max(nextAt, now + 1000), now + settings.minIntervalMs)
    return {
      stopAfter: isDue(decision, now) ? tokenStop(allowance, ledger.prices(now), mostTokens) : 0,
      // Whatever the user does meanwhile, these end no sooner.
      lookAgainAt: ["user-active", "exhausted", "refused"].includes(rule) ? nextAt : soon,
      isPausedForUser: rule === "user-active",
    }
  },
}

function isDue({ mayRun, nextAt }: Decision, now: number): boolean {
  return mayRun && nextAt <= now
}

/** What most tools do: a timer. */
export const timer: Strategy = {
  name: "timer of 30 minutes",
  decide: (_, now) => ({ stopAfter: mostTokens, lookAgainAt: now + 30 * minuteMs, isPausedForUser: false }),
}

/** The plain formula: one window, the user's pace of the last hour, and a pause while the user is there. */
export const formula: Strategy = {
  name: "formula of one window",
  decide(ledger, now) {
    const { windows, lastUserActivityAt, lastCycleAt } = ledger.view(now)
    const activeUntil = (lastUserActivityAt ?? 0) + settings.userActiveMs
    if (activeUntil > now) return { stopAfter: 0, lookAgainAt: activeUntil, isPausedForUser: true }
    const window = windows.find(({ id }) => id === "5h")
    let intervalMs = settings.defaultIntervalMs
    if (window !== undefined) {
      const isOver = window.resetsAt <= now
      const restMs = isOver ? window.lengthMs : window.resetsAt - now
      const projected = (usedSince(window.userUse, now - hourMs) / hourMs) * restMs
      const left = (100 - (isOver ? 0 : window.used) - projected) * (1 - settings.reserve)
      const costs = window.cycleCosts
      const cost = costs.length === 0 ? 1 : costs.reduce((sum, one) => sum + one, 0) / costs.length
      intervalMs = left > 0 ? (restMs * cost) / left : restMs
    }
    const interval = Math.min(settings.maxIntervalMs, Math.max(settings.minIntervalMs, intervalMs))
    const dueAt = lastCycleAt === null ? now : lastCycleAt + interval
    return { stopAfter: dueAt <= now ? mostTokens : 0, lookAgainAt: dueAt, isPausedForUser: false }
  },
}
