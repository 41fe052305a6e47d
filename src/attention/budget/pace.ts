import { count, spanText } from "../../base/text/text.ts"
import type { BudgetSettings, BudgetView } from "./view.ts"
import { isEnding, isNearlySpent, type WindowBudget } from "./window-budget.ts"

/** What sets the time between cycles. */
export type PaceRule =
  /** What is left is spread evenly until the window resets. */
  | "spread"
  /** The window ends soon: what is left is used before it is lost. */
  | "squeeze"
  /** Most of the budget is used: as seldom as possible. */
  | "nearly-spent"
  /** The user has been away for hours: the time to use. */
  | "idle"
  /** The user is there, and the settings say to slow down rather than pause. */
  | "stretch"
  /** The provider refused: each refusal in a row doubles the time. */
  | "back-off"
  /** Nothing is known about the limits. */
  | "unknown"

/** How often cycles come, why, and the window that decides. */
export interface Pace {
  rule: PaceRule
  intervalMs: number
  /** One sentence for people. */
  reason: string
}

/** While the user is away for long, or a window ends, the time between cycles is multiplied with this. */
const hurryFactor = 1 / 8
/** Every so many cycles without a refusal the time between them becomes shorter. */
const calmStep = 3
/** By how much it does while nothing is known, and how far. */
const calmFactor = 0.9
const calmLeast = 1 / 3

/** The time between cycles: that of the tightest window, changed by what happens, within the bounds set. */
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

/** The pace that one window asks for. */
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
    const reason = `There is room for ${left}; it would be lost then.`
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

/** With nothing known: a fixed time, which calm cycles shorten step by step. */
function unknownPace({ refusals, calmCycles }: BudgetView, settings: BudgetSettings): Pace {
  const steps = Math.max(0, Math.floor(calmCycles / calmStep) - (refusals?.inARow ?? 0))
  const factor = Math.max(calmLeast, calmFactor ** steps)
  return {
    rule: "unknown",
    intervalMs: settings.defaultIntervalMs * factor,
    reason: "Nothing is known about the provider's limits, so cycles come at a fixed time.",
  }
}

/** Doubled for each refusal in a row; every few calm cycles take one of them back. */
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
