import { count, spanText } from "../../base/text/text.ts"
import type { BudgetSettings, BudgetView } from "./view.ts"
import { isEnding, isNearlySpent, type WindowBudget } from "./window-budget.ts"

/** What sets the time between cycles. */
export type PaceRule =
  /** The rest is spread evenly until the window resets. */
  | "spread"
  /** The window ends soon: the rest is used before it expires. */
  | "squeeze"
  /** Most of the budget is used: the longest interval. */
  | "nearly-spent"
  /** The user has been away for hours: cycles come more often. */
  | "idle"
  /** The user is active, and the configuration says to slow down rather than pause. */
  | "stretch"
  /** Each refusal in a row doubles the interval. */
  | "back-off"
  /** Nothing is known about the limits. */
  | "unknown"

/** How often cycles run, and why. */
export interface Pace {
  rule: PaceRule
  intervalMs: number
  /** One sentence for the user. */
  reason: string
}

/** Multiplies the interval while the user is away, or when a window ends soon. */
const hurryFactor = 1 / 8
/** The interval gets shorter after this many cycles without a refusal. */
const calmStep = 3
/** By how much, while the limits are unknown, and down to which factor. */
const calmFactor = 0.9
const calmLeast = 1 / 3

/** The interval of the tightest window, adjusted to refusals and the user's activity, within the configured bounds. */
export function setPace(view: BudgetView, settings: BudgetSettings, budgets: readonly WindowBudget[]): Pace {
  const { minIntervalMs, maxIntervalMs } = settings
  const allowances = budgets.filter(({ isBucket }) => !isBucket)
  const own =
    tightest(allowances.map((budget) => paceOf(budget, view, settings))) ?? unknownPace(view, settings)
  const changed = whileActive(afterRefusals(own, view), view, settings)
  const intervalMs = Math.round(Math.min(maxIntervalMs, Math.max(minIntervalMs, changed.intervalMs)))
  return { ...changed, intervalMs }
}

function tightest(paces: readonly Pace[]): Pace | undefined {
  return paces.reduce<Pace | undefined>(
    (longest, pace) => (longest === undefined || pace.intervalMs > longest.intervalMs ? pace : longest),
    undefined,
  )
}

/** The pace of one window. */
function paceOf(
  budget: WindowBudget,
  { now, lastUserActivityAt }: BudgetView,
  settings: BudgetSettings,
): Pace {
  const { id, resetsAt, cyclesLeft } = budget
  const { minIntervalMs, maxIntervalMs, idleAfterMs } = settings
  const restMs = resetsAt - now
  const spreadMs = cyclesLeft > 0 ? Math.max(minIntervalMs, restMs / cyclesLeft) : maxIntervalMs
  const left = `${count(Math.floor(cyclesLeft), "more cycle")} until the ${id} window resets in ${spanText(restMs)}`
  if (isEnding(budget, now)) {
    const reason = `There is room for ${left}; it expires then.`
    return { rule: "squeeze", intervalMs: spreadMs * hurryFactor, reason }
  }
  if (isNearlySpent(budget)) {
    const reason = `Over 80 % of what Reverie may use of the ${id} window is used, so cycles are rare.`
    return { rule: "nearly-spent", intervalMs: maxIntervalMs, reason }
  }
  if (lastUserActivityAt === null || now - lastUserActivityAt >= idleAfterMs) {
    const reason = `You have been away for hours, so cycles come much more often; there is room for ${left}.`
    return { rule: "idle", intervalMs: spreadMs * hurryFactor, reason }
  }
  return { rule: "spread", intervalMs: spreadMs, reason: `There is room for ${left}, spread evenly.` }
}

/** With unknown limits: a fixed interval, which cycles without a refusal shorten step by step. */
function unknownPace({ refusals, calmCycles }: BudgetView, settings: BudgetSettings): Pace {
  const steps = Math.max(0, Math.floor(calmCycles / calmStep) - (refusals?.inARow ?? 0))
  const factor = Math.max(calmLeast, calmFactor ** steps)
  return {
    rule: "unknown",
    intervalMs: settings.defaultIntervalMs * factor,
    reason: "The provider's limits are unknown, so cycles come at a fixed interval.",
  }
}

/** Doubles the interval for each refusal in a row; every three cycles without a refusal undo one doubling. */
function afterRefusals(pace: Pace, { refusals, calmCycles }: BudgetView): Pace {
  const doublings = Math.max(0, (refusals?.inARow ?? 0) - Math.floor(calmCycles / calmStep))
  if (doublings === 0) return pace
  const reason = `The provider refused ${count(refusals?.inARow ?? 0, "time")} in a row, so Reverie waits longer each time.`
  return { rule: "back-off", intervalMs: pace.intervalMs * 2 ** Math.min(doublings, 40), reason }
}

function whileActive(pace: Pace, view: BudgetView, settings: BudgetSettings): Pace {
  if (!isUserActive(view, settings) || settings.whenUserActive === "pause") return pace
  const reason = "You are working, so cycles are rarer."
  return { rule: "stretch", intervalMs: pace.intervalMs * settings.stretch, reason }
}

/** Whether the user worked a moment ago. */
export function isUserActive(
  { now, lastUserActivityAt }: BudgetView,
  { userActiveMs }: BudgetSettings,
): boolean {
  return lastUserActivityAt !== null && now - lastUserActivityAt < userActiveMs
}
