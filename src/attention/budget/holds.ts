import { spanText } from "../../base/text/text.ts"
import { isUserActive, type Pace } from "./pace.ts"
import type { BudgetSettings, BudgetView } from "./view.ts"
import { isExhausted, type WindowBudget } from "./window-budget.ts"

/** What keeps a cycle from running now, whoever asks for it. */
export type HoldRule =
  /** Nothing is left of a window until it resets. */
  | "exhausted"
  /** The day's money is spent. */
  | "daily-cap"
  /** What is left is the user's, or too little for a cycle. */
  | "too-little"
  /** The provider said to wait, or refused a moment ago. */
  | "refused"
  | "user-active"
  /** The last cycle was a moment ago. */
  | "too-soon"

export interface Hold {
  rule: HoldRule
  until: number
  /** One sentence for people. */
  reason: string
}

/** A cycle is worth starting if this much of a usual one fits; it is stopped when the rest is used. */
const leastPart = 0.5

/** Everything that holds cycles back now. */
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
  const reason = `What is left of the ${id} window may be needed by you; it ${resets}.`
  return { rule: "too-little", until: Math.min(resetsAt, now + maxIntervalMs), reason }
}

function holdOfRefusals({ refusals, calmCycles }: BudgetView, { intervalMs }: Pace): Hold | undefined {
  if (refusals === null) return undefined
  const backOff = calmCycles === 0 && refusals.inARow > 0 ? refusals.lastAt + intervalMs : 0
  const until = Math.max(refusals.blockedUntil ?? 0, backOff)
  return { rule: "refused", until, reason: "The provider refused to answer for now and wants less." }
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
