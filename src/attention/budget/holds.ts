import { spanText } from "../../base/text/text.ts"
import { isUserActive, type Pace } from "./pace.ts"
import type { BudgetSettings, BudgetView } from "./view.ts"
import { isExhausted, type WindowBudget } from "./window-budget.ts"

/** Why no cycle may run now. */
export type HoldRule =
  /** Nothing is left of a window until it resets. */
  | "exhausted"
  /** The daily cap is reached. */
  | "daily-cap"
  /** The rest is reserved for the user, or too little for a cycle. */
  | "too-little"
  /** The provider refused, or said to wait. */
  | "refused"
  | "user-active"
  /** The last cycle was a moment ago. */
  | "too-soon"

export interface Hold {
  rule: HoldRule
  until: number
  /** One sentence for the user. */
  reason: string
}

/** A cycle starts if this share of its usual cost is left; it stops when that is used. */
const leastPart = 0.5

export function findHolds(
  view: BudgetView,
  settings: BudgetSettings,
  budgets: readonly WindowBudget[],
  pace: Pace,
): Hold[] {
  return [
    ...budgets.map((budget) => holdOfWindow(budget, view.now, settings)),
    holdOfRefusals(view, pace),
    holdOfUser(view, settings),
    holdOfGap(view, settings),
  ].filter((hold) => hold !== undefined && hold.until > view.now) as Hold[]
}

function holdOfWindow(
  budget: WindowBudget,
  now: number,
  { maxIntervalMs }: BudgetSettings,
): Hold | undefined {
  const { id, unit, resetsAt, cyclesLeft, isBucket } = budget
  const resets = `resets in ${spanText(resetsAt - now)}`
  if (isExhausted(budget)) {
    return unit === "usd"
      ? {
          rule: "daily-cap",
          until: resetsAt,
          reason: `The daily cap for paid keys is reached; it ${resets}.`,
        }
      : { rule: "exhausted", until: resetsAt, reason: `The ${id} window is used up; it ${resets}.` }
  }
  if (isBucket || cyclesLeft >= leastPart) return undefined
  const reason = `You may need the rest of the ${id} window; it ${resets}.`
  return { rule: "too-little", until: Math.min(resetsAt, now + maxIntervalMs), reason }
}

function holdOfRefusals({ refusals, calmCycles }: BudgetView, { intervalMs }: Pace): Hold | undefined {
  if (refusals === null) return undefined
  const backOff = calmCycles === 0 && refusals.inARow > 0 ? refusals.lastAt + intervalMs : 0
  const until = Math.max(refusals.blockedUntil ?? 0, backOff)
  return { rule: "refused", until, reason: "The provider refuses calls for now: there were too many." }
}

function holdOfUser(view: BudgetView, settings: BudgetSettings): Hold | undefined {
  if (view.lastUserActivityAt === null || !isUserActive(view, settings)) return undefined
  if (settings.whenUserActive === "stretch") return undefined
  const until = view.lastUserActivityAt + settings.userActiveMs
  return { rule: "user-active", until, reason: "You are working, so Reverie waits." }
}

function holdOfGap({ lastCycleAt }: BudgetView, { minIntervalMs }: BudgetSettings): Hold | undefined {
  if (lastCycleAt === null) return undefined
  return { rule: "too-soon", until: lastCycleAt + minIntervalMs, reason: "The last cycle was a moment ago." }
}
