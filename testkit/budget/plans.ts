export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** One limit of a made-up subscription, in tokens. */
export interface PlanWindow {
  id: string
  lengthMs: number
  capacity: number
  /** Whether it begins with the first use after the last one ended, or at fixed times. */
  begins: "first-use" | "fixed"
}

/**
 * A made-up subscription of the kind there is: a window of five hours and one of a week, told in whole percent. What the
 * providers really grant is not published and changes; how many full short windows make a week's is what matters.
 */
export interface Plan {
  name: string
  windows: readonly PlanWindow[]
  /** How the provider makes whole percents. */
  toWhole: (percent: number) => number
  /** About what one call of a cycle costs, in tokens. */
  callTokens: number
}

function plan(
  name: string,
  [short, week]: [number, number],
  begins: PlanWindow["begins"],
  rest: Pick<Plan, "toWhole" | "callTokens">,
): Plan {
  const windows: PlanWindow[] = [
    { id: "5h", lengthMs: 5 * hourMs, capacity: short, begins: "first-use" },
    { id: "7d", lengthMs: 7 * dayMs, capacity: week, begins },
  ]
  return { name, windows, ...rest }
}

export const plans: readonly Plan[] = [
  plan("small", [4e6, 13e6], "first-use", { toWhole: Math.floor, callTokens: 5_000 }),
  plan("middle", [5e6, 50e6], "fixed", { toWhole: Math.round, callTokens: 12_000 }),
  plan("large", [20e6, 160e6], "fixed", { toWhole: Math.ceil, callTokens: 25_000 }),
]
