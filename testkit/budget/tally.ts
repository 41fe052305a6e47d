import type { Case, Outcome } from "./simulate.ts"

/** A case and what came of it. */
export interface Run {
  case: Case
  outcome: Outcome
}

/**
 * The share of what own work may use that it used. Each run counts in shares of its plan's week, so that a large plan
 * counts no more than a small one, and no run counts for more than it may.
 */
export function shareUsed(runs: readonly Run[]): number {
  const used = sumOf(
    runs,
    ({ case: { plan }, outcome }) => Math.min(outcome.ambientCost, outcome.may) / weekOf(plan),
  )
  const may = sumOf(runs, ({ case: { plan }, outcome }) => outcome.may / weekOf(plan))
  return may > 0 ? used / may : 1
}

function weekOf({ windows }: Case["plan"]): number {
  return windows.find(({ id }) => id === "7d")?.capacity ?? Number.NaN
}

/** How many of the user's calls were refused because of own work. */
export function throttledIn(runs: readonly Run[]): number {
  return sumOf(runs, ({ outcome }) => outcome.throttledAt.length)
}

/** Which share of all windows of one kind, as they lay in the time, was used. */
export function shareOfWindows(runs: readonly Run[], id: string, by: "userCost" | "ambientCost"): number {
  const shares = runs.map(({ case: { plan }, outcome }) => {
    const window = plan.windows.find((one) => one.id === id)
    return outcome[by] / ((window?.capacity ?? Number.NaN) * (outcome.lastedMs / (window?.lengthMs ?? 1)))
  })
  return shares.reduce((sum, share) => sum + share, 0) / shares.length
}

/** The times between cycles of all runs, in minutes. */
export function intervalsOf(runs: readonly Run[]): number[] {
  return runs.flatMap(({ outcome: { startedAt } }) =>
    startedAt.slice(1).map((at, index) => (at - (startedAt[index] ?? at)) / 60_000),
  )
}

export function sumOf(runs: readonly Run[], of: (run: Run) => number): number {
  return runs.reduce((sum, run) => sum + of(run), 0)
}
