import { describe, expect, test } from "vitest"
import { people } from "../../../testkit/budget/people.ts"
import { plans } from "../../../testkit/budget/plans.ts"
import { type Case, simulate } from "../../../testkit/budget/simulate.ts"
import { own, timer } from "../../../testkit/budget/strategies.ts"
import { shareUsed, throttledIn } from "../../../testkit/budget/tally.ts"

/** Every kind of user once, with another plan each time, half of them unknown at first. */
const cases: Case[] = people.flatMap((person, index) => {
  const plan = plans[index % plans.length]
  return plan === undefined ? [] : [{ person, plan, seed: 1 + (index % 3), isCold: index % 2 === 1 }]
})
const runAll = (strategy: typeof own) => cases.map((one) => ({ case: one, outcome: simulate(one, strategy) }))

describe("in two weeks with a user and two windows", () => {
  test("the user is never refused because of cycles, and cycles use most of what they may", () => {
    const runs = runAll(own)
    expect(throttledIn(runs)).toBe(0)
    expect(shareUsed(runs)).toBeGreaterThan(0.5)
  })

  test("a plain timer costs the same users a lot", () => {
    expect(throttledIn(runAll(timer))).toBeGreaterThan(100)
  })

  test("the same seed gives the same days", () => {
    const [one] = cases
    if (one === undefined) throw new Error("there is no case")
    expect(simulate(one, own)).toEqual(simulate(one, own))
  })
})
