import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Decision, decideBudget, holdsOnCall } from "../../../src/attention/budget/decide.ts"
import type { BudgetView, Use, WindowView } from "../../../src/attention/budget/view.ts"
import { budgetView, day, minute, noon, settings, someSettings, views, weekWindow, windows } from "./views.ts"

/** Sums of many uses in another order differ in the last digits. */
const rounding = 1e-6

function expectNotLaxer(tight: Decision, loose: Decision): void {
  if (!loose.mayRun) expect(tight.mayRun).toBe(false)
  expect(tight.nextAt).toBeGreaterThanOrEqual(loose.nextAt - 1)
  expect(tight.intervalMs).toBeGreaterThanOrEqual(loose.intervalMs - 1)
  for (const { id, amount } of tight.allowance) {
    const before = loose.allowance.filter((allowance) => allowance.id === id)
    expect(amount).toBeLessThanOrEqual(Math.max(0, ...before.map((allowance) => allowance.amount)) + rounding)
  }
}

describe("whatever the view, the decision", () => {
  test("keeps the interval within its bounds", () => {
    fc.assert(
      fc.property(views, someSettings, (view, chosen) => {
        const { intervalMs, mayRun, nextAt } = decideBudget(view, chosen)
        expect(intervalMs).toBeGreaterThanOrEqual(chosen.minIntervalMs)
        expect(intervalMs).toBeLessThanOrEqual(chosen.maxIntervalMs)
        expect(nextAt).toBeGreaterThanOrEqual(view.now)
        if (mayRun) expect(nextAt).toBeLessThanOrEqual(view.now + chosen.maxIntervalMs)
        if (!mayRun) expect(nextAt).toBeGreaterThan(view.now)
      }),
    )
  })

  test("allows nothing while a window is used up, and waits for its reset", () => {
    fc.assert(
      fc.property(views, windows, someSettings, (view, window, chosen) => {
        const full = { ...window, used: 100, resetsAt: noon + day }
        const decision = decideBudget({ ...view, windows: [...view.windows, full] }, chosen)
        expect(decision.mayRun).toBe(false)
        expect(decision.allowance.every(({ amount }) => amount === 0)).toBe(true)
        expect(decision.nextAt).toBeGreaterThanOrEqual(full.resetsAt)
      }),
    )
  })

  test("never allows more than a window leaves after the user's share and the reserve", () => {
    fc.assert(
      fc.property(views, someSettings, (view, chosen) => {
        const { windows: budgets } = decideBudget(view, chosen)
        for (const { unit, capacity, user, ambient, remaining, projectedUser, allowed } of budgets) {
          expect(allowed).toBeLessThanOrEqual(remaining + rounding)
          if (unit === "usd" || allowed === 0) continue
          const share = (1 - chosen.reserve) * (capacity - user - projectedUser)
          expect(ambient + allowed).toBeLessThanOrEqual(share + rounding)
        }
      }),
    )
  })

  test("is not laxer when the user did more", () => {
    const more = fc.record({
      at: fc.integer({ min: noon - 14 * day, max: noon }),
      amount: fc.double({ min: 0, max: 30, noNaN: true }),
    })
    fc.assert(
      fc.property(views, more, fc.boolean(), someSettings, (view, use, isRead, chosen) => {
        expectNotLaxer(decideBudget(withUse(view, use, isRead), chosen), decideBudget(view, chosen))
      }),
      { numRuns: 300 },
    )
  })

  test("is not laxer with one more window", () => {
    fc.assert(
      fc.property(views, windows, someSettings, (view, window, chosen) => {
        fc.pre(view.windows.length > 0 || view.daily !== null)
        const other = { ...window, id: "another" }
        const wider = decideBudget({ ...view, windows: [...view.windows, other] }, chosen)
        const { allowance, ...rest } = wider
        const kept = { ...rest, allowance: allowance.filter(({ id }) => id !== "another") }
        expectNotLaxer(kept, decideBudget(view, chosen))
      }),
      { numRuns: 300 },
    )
  })

  test("follows the tighter of two windows", () => {
    fc.assert(
      fc.property(views, windows, windows, someSettings, (view, one, two, chosen) => {
        const decide = (...chosenWindows: WindowView[]) =>
          decideBudget({ ...view, daily: null, windows: chosenWindows }, chosen)
        const both = decide(one, { ...two, id: "two" })
        const alone = [decide(one), decide(two)]
        expect(both.intervalMs).toBe(Math.max(...alone.map(({ intervalMs }) => intervalMs)))
        expect(both.nextAt).toBe(Math.max(...alone.map(({ nextAt }) => nextAt)))
        expect(both.mayRun).toBe(alone.every(({ mayRun }) => mayRun))
      }),
    )
  })

  test("doubles the interval with every refusal until the longest is reached", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 12 }),
        fc.double({ min: 0.01, max: 2, noNaN: true }),
        (inARow, cost) => {
          const refusedTimes = (refusals: number) => {
            const refused = { inARow: refusals, lastAt: noon - day, blockedUntil: null }
            const window = weekWindow({ cycleCosts: [cost] })
            return decideBudget(budgetView({ windows: [window], refusals: refused, calmCycles: 0 }), settings)
          }
          const doubled = Math.min(settings.maxIntervalMs, 2 * refusedTimes(inARow).intervalMs)
          expect(Math.abs(refusedTimes(inARow + 1).intervalMs - doubled)).toBeLessThanOrEqual(1)
        },
      ),
    )
  })

  test("allows a single call only where a cycle would have room for it, and never sooner than a person's", () => {
    fc.assert(
      fc.property(views, someSettings, (view, chosen) => {
        const decision = decideBudget(view, chosen)
        const own = holdsOnCall(decision, false)
        const asked = holdsOnCall(decision, true)
        if (decision.mayRun) expect(own).toEqual([])
        if (own.length === 0) expect(decision.holds.every(({ rule }) => rule === "too-soon")).toBe(true)
        expect(own.length).toBeGreaterThanOrEqual(asked.length)
        if (decision.windows.some(({ remaining }) => remaining <= 0)) expect(asked).not.toEqual([])
      }),
    )
  })

  test("lets no call through that more use by the user would have held back before", () => {
    const more = fc.record({
      at: fc.integer({ min: noon - 14 * day, max: noon }),
      amount: fc.double({ min: 0, max: 30, noNaN: true }),
    })
    fc.assert(
      fc.property(views, more, fc.boolean(), someSettings, (view, use, isRead, chosen) => {
        const before = holdsOnCall(decideBudget(view, chosen), false)
        const after = holdsOnCall(decideBudget(withUse(view, use, isRead), chosen), false)
        if (before.length > 0) expect(after).not.toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test("is held back by a bucket only while that is empty, however often it was refilled", () => {
    const buckets = fc.record({
      used: fc.integer({ min: 0, max: 60 }),
      readAgo: fc.integer({ min: 0, max: 20 * day }),
      resetIn: fc.integer({ min: 0, max: minute }),
      costs: fc.array(fc.integer({ min: 0, max: 500_000 }), { maxLength: 6 }),
    })
    fc.assert(
      fc.property(views, buckets, someSettings, (view, { used, readAgo, resetIn, costs }, chosen) => {
        const settings = { ...chosen, cycleMs: 15 * minute }
        const resetsAt = noon - readAgo + resetIn
        const bucket: WindowView = {
          ...{ id: "requests", unit: "requests", capacity: 60, used, resetsAt, lengthMs: minute },
          ...{ readAt: noon - readAgo, userUse: [], knownSince: noon, ambientUsed: 0, cycleCosts: costs },
        }
        const without = decideBudget(view, settings)
        const decided = decideBudget({ ...view, windows: [...view.windows, bucket] }, settings)
        const isEmpty = used >= 60 && resetsAt > noon
        if (isEmpty) expect(decided.mayRun).toBe(false)
        else expect({ ...decided, windows: [] }).toEqual({ ...without, windows: [] })
      }),
      { numRuns: 300 },
    )
  })

  test("is a number for any input", () => {
    const anything = fc.oneof(
      fc.double(),
      fc.constantFrom(Number.NaN, Infinity, -Infinity, 0, -1, 1e308, noon),
    )
    const anyWindow = fc.record({
      id: fc.string(),
      unit: fc.constantFrom("percent" as const, "tokens" as const, "requests" as const),
      ...{ capacity: anything, used: anything, resetsAt: anything, lengthMs: anything, readAt: anything },
      userUse: fc.array(fc.record({ at: anything, amount: anything }), { maxLength: 5 }),
      ...{ knownSince: anything, ambientUsed: anything },
      cycleCosts: fc.array(anything, { maxLength: 6 }),
    })
    const maybe = fc.option(anything, { nil: null })
    const anyView = fc.record({
      now: anything,
      windows: fc.array(anyWindow, { maxLength: 3 }),
      lastUserActivityAt: maybe,
      refusals: fc.option(fc.record({ inARow: anything, lastAt: anything, blockedUntil: maybe }), {
        nil: null,
      }),
      ...{ calmCycles: anything, lastCycleAt: maybe },
      daily: fc.option(
        fc.record({
          spentUsd: anything,
          capUsd: anything,
          resetsAt: anything,
          cycleCostsUsd: fc.array(anything),
        }),
        { nil: null },
      ),
    })
    const anySettings = fc.record({
      ...{ minIntervalMs: anything, maxIntervalMs: anything, defaultIntervalMs: anything, reserve: anything },
      ...{ userActiveMs: anything, stretch: anything, idleAfterMs: anything, cycleMs: anything },
      whenUserActive: fc.constantFrom("pause" as const, "stretch" as const),
    })
    fc.assert(
      fc.property(anyView, anySettings, (view, chosen) => {
        const decision = decideBudget(view, chosen)
        expect(numbersIn(decision).filter((number) => !Number.isFinite(number))).toEqual([])
        expect(decision.intervalMs).toBeGreaterThan(0)
        expect(decision.reason).toMatch(/^[A-Z].*\.$/s)
      }),
      { numRuns: 1000 },
    )
  })
})

/** The view after the user used more, which the provider has told already or not; being busy counts as being there. */
function withUse(view: BudgetView, use: Use, isRead: boolean): BudgetView {
  return {
    ...view,
    lastUserActivityAt: Math.max(view.lastUserActivityAt ?? 0, use.at),
    windows: view.windows.map((window) => ({
      ...window,
      used: isRead ? window.used + use.amount : window.used,
      userUse: [...window.userUse, use].toSorted((a, b) => a.at - b.at),
    })),
  }
}

function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : []
}
