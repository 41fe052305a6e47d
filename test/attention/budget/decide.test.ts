import { describe, expect, test } from "vitest"
import { decideBudget } from "../../../src/attention/budget/decide.ts"
import type { BudgetView, WindowView } from "../../../src/attention/budget/view.ts"
import { budgetView, day, fiveHourWindow, hour, minute, noon, settings, weekWindow } from "./views.ts"

const decide = (change: Partial<BudgetView> = {}) => decideBudget(budgetView(change), settings)
const decideWith = (...windows: WindowView[]) => decide({ windows })

describe("the budget of a window", () => {
  test("is what the user leaves, less what they may still need and the reserve", () => {
    const [week] = decideWith(weekWindow({ used: 30, ambientUsed: 10 })).windows
    expect(week).toMatchObject({ user: 20, ambient: 10, remaining: 70 })
    const left = 100 - 20 - (week?.projectedUser ?? 0) - 1
    expect(week?.allowed).toBeCloseTo(0.8 * left - 10)
  })

  test("is spread evenly until it resets", () => {
    const { rule, intervalMs, windows, mayRun } = decideWith(weekWindow({ cycleCosts: [0.5] }))
    expect(rule).toBe("spread")
    expect(mayRun).toBe(true)
    expect(intervalMs).toBeCloseTo((3.5 * day) / (windows[0]?.cyclesLeft ?? 0), -1)
  })

  test("counts the last five cycles", () => {
    const costs = [90, 1, 2, 3, 4, 5]
    expect(decideWith(weekWindow({ cycleCosts: costs })).windows[0]?.cycleCost).toBe(3)
  })

  test("takes the first cycle to be dear", () => {
    expect(decideWith(weekWindow({ cycleCosts: [] })).windows[0]?.cycleCost).toBe(1)
  })

  test("keeps for the user the most they ever needed in such a time, also at night", () => {
    const burst = { at: noon - 10 * day, amount: 50 }
    const busy = weekWindow({ userUse: [burst] })
    const [kept] = decide({ windows: [busy], lastUserActivityAt: noon - 9 * hour }).windows
    expect(kept?.projectedUser).toBeGreaterThan(50)
  })

  test("follows the pace of the last hour", () => {
    const started = weekWindow({ userUse: [{ at: noon - 30 * minute, amount: 1 }] })
    expect(decideWith(started).windows[0]?.projectedUser).toBeCloseTo(84)
  })

  test("is nothing in a week about whose beginning nothing is known", () => {
    const { mayRun, rule, nextAt } = decideWith(weekWindow({ userUse: [], knownSince: noon - hour }))
    expect({ mayRun, rule }).toEqual({ mayRun: false, rule: "too-little" })
    expect(nextAt).toBe(noon + settings.maxIntervalMs)
  })

  test("is larger at the times of the day at which the user never comes", () => {
    const mornings = [1, 2, 3, 4, 5, 6, 7, 8, 15, 22].map((days) => ({ at: noon - days * day, amount: 40 }))
    const userUse = mornings.toSorted((a, b) => a.at - b.at)
    const at = (now: number) => {
      const window = fiveHourWindow({
        userUse,
        resetsAt: now - hour,
        readAt: now - hour,
        knownSince: now - 28 * day,
      })
      return decideBudget(budgetView({ now, windows: [window] }), settings)
    }
    expect(at(noon + 9 * hour).windows[0]?.allowed).toBeGreaterThan(50)
    expect(at(noon - 2 * hour)).toMatchObject({ mayRun: false, rule: "too-little" })
  })

  test("a window that the user is in is left to them, but for what they cannot use up", () => {
    const view = (restMs: number) =>
      decide({
        windows: [fiveHourWindow({ userUse: [], resetsAt: noon + restMs })],
        lastUserActivityAt: noon - 20 * minute,
      })
    expect(view(3 * hour).mayRun).toBe(false)
    expect(view(30 * minute).mayRun).toBe(true)
  })
})

describe("a reading", () => {
  test("whose window is over counts as a new one, with what is known to be used since", () => {
    const userUse = [{ at: noon - 3 * day, amount: 7 }]
    const over = weekWindow({ used: 95, resetsAt: noon - 4 * day, readAt: noon - 5 * day, userUse })
    const [week] = decideWith(over).windows
    expect(week).toMatchObject({ user: 7, ambient: 0, resetsAt: noon + 7 * day })
  })

  test("that is very old counts for nothing", () => {
    const old = weekWindow({ used: 100, resetsAt: noon - 28 * day, readAt: noon - 29 * day })
    expect(decideWith(old)).toMatchObject({ rule: "unknown", windows: [], mayRun: true })
  })

  test("near its end is judged by the next window too, into which a cycle may run", () => {
    const userUse = [1, 2, 3, 4].map((hours) => ({ at: noon - 7 * day + hours * hour, amount: 25 }))
    const busy = { userUse, knownSince: noon - 28 * day }
    const ending = (restMs: number) =>
      decideWith(fiveHourWindow({ ...busy, used: 0, resetsAt: noon + restMs }))
    expect(ending(5 * minute).windows[0]?.allowed).toBe(0)
    expect(ending(12 * minute).windows[0]?.allowed).toBeGreaterThan(0)
  })
})

describe("of the rules of behaviour", () => {
  test("an active user pauses it until they have been quiet for a while", () => {
    const decision = decide({ lastUserActivityAt: noon - minute })
    expect(decision).toMatchObject({ mayRun: false, rule: "user-active", nextAt: noon + 14 * minute })
    expect(decision.allowance).toEqual([{ id: "7d", unit: "percent", amount: 0 }])
  })

  test("or slows it down, if the settings say so", () => {
    const quiet = decide()
    const view = budgetView({ lastUserActivityAt: noon - minute })
    const active = decideBudget(view, { ...settings, whenUserActive: "stretch" })
    expect(active).toMatchObject({ mayRun: true, rule: "stretch" })
    expect(active.intervalMs).toBe(Math.min(settings.maxIntervalMs, 4 * quiet.intervalMs))
  })

  test("a user away for hours makes cycles more frequent", () => {
    const away = decide({ lastUserActivityAt: noon - 5 * hour })
    expect(away.rule).toBe("idle")
    expect(away.intervalMs).toBeLessThan(decide().intervalMs / 2)
  })

  test("a refusal is waited out as long as the provider said", () => {
    const refusals = { inARow: 1, lastAt: noon - minute, blockedUntil: noon + 3 * hour }
    expect(decide({ refusals, calmCycles: 0 })).toMatchObject({
      ...{ mayRun: false, rule: "refused", nextAt: noon + 3 * hour },
    })
  })

  test("every refusal in a row doubles the interval, and holds back whoever asks", () => {
    const refusals = (inARow: number) => ({ inARow, lastAt: noon, blockedUntil: null })
    const base = decide({ windows: [], calmCycles: 0 }).intervalMs
    const once = decide({ windows: [], refusals: refusals(1), calmCycles: 0 })
    expect(once).toMatchObject({ mayRun: false, intervalMs: 2 * base, nextAt: noon + 2 * base })
    expect(decide({ windows: [], refusals: refusals(2), calmCycles: 0 }).intervalMs).toBe(4 * base)
    expect(decide({ windows: [], refusals: refusals(9), calmCycles: 0 }).intervalMs).toBe(
      settings.maxIntervalMs,
    )
  })

  test("calm cycles bring the pace back step by step", () => {
    const refusals = { inARow: 3, lastAt: noon - 5 * hour, blockedUntil: null }
    const intervals = [0, 3, 6, 9].map(
      (calmCycles) =>
        decide({ windows: [weekWindow({ cycleCosts: [0.05] })], refusals, calmCycles }).intervalMs,
    )
    expect(intervals.toSorted((a, b) => b - a)).toEqual(intervals)
    expect(new Set(intervals).size).toBe(4)
  })

  test("with no limits known it starts at the default, and calm shortens it", () => {
    const at = (calmCycles: number) => decide({ windows: [], calmCycles })
    expect(at(0)).toMatchObject({ rule: "unknown", intervalMs: 30 * minute, allowance: [] })
    expect(at(6).intervalMs).toBeLessThan(at(0).intervalMs)
    expect(at(1000).intervalMs).toBe(10 * minute)
  })

  test("the end of a window with budget left squeezes cycles in", () => {
    const ending = weekWindow({ resetsAt: noon + 12 * hour, cycleCosts: [0.1] })
    expect(decideWith(ending)).toMatchObject({
      mayRun: true,
      rule: "squeeze",
      intervalMs: settings.minIntervalMs,
    })
  })

  test("over 80 % of its budget used, it goes as slowly as it may", () => {
    const nearly = weekWindow({ used: 44, ambientUsed: 44, cycleCosts: [0.01], userUse: [] })
    expect(decideWith(nearly)).toMatchObject({ rule: "nearly-spent", intervalMs: settings.maxIntervalMs })
  })

  test("a full window is never used, whatever else there is", () => {
    const full = fiveHourWindow({ used: 100, resetsAt: noon + 100 * minute })
    expect(decideWith(weekWindow(), full)).toMatchObject({
      ...{ mayRun: false, rule: "exhausted", nextAt: noon + 100 * minute },
      reason: "The 5h window is used up; it resets in 2 h.",
    })
  })

  test("nor is a day's cap exceeded", () => {
    const daily = { spentUsd: 2, capUsd: 2, resetsAt: noon + 12 * hour, cycleCostsUsd: [0.1] }
    expect(decide({ windows: [], daily })).toMatchObject({
      mayRun: false,
      rule: "daily-cap",
      nextAt: daily.resetsAt,
    })
    const half = decide({ windows: [], daily: { ...daily, spentUsd: 1 } })
    expect(half.allowance).toEqual([{ id: "day", unit: "usd", amount: 1 }])
    expect(half.intervalMs).toBe(72 * minute)
  })

  test("a second cycle does not follow at once, even if something asks for it", () => {
    const decision = decide({ lastCycleAt: noon - minute })
    expect(decision.mayRun).toBe(false)
    expect(decision.rule).toBe("spread")
  })
})
