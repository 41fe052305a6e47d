import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ambientUse } from "../../../src/attention/budget/ambient-use.ts"
import { tokenStop } from "../../../src/attention/budget/token-stop.ts"
import { unitsPerToken } from "../../../src/attention/budget/units-per-token.ts"
import type { Use } from "../../../src/attention/budget/view.ts"
import { viewWindow, type WindowRecords } from "../../../src/attention/budget/view-window.ts"
import type { LimitReading } from "../../../src/llm/limits/limit-reading.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"
import { hour, minute, noon } from "./views.ts"

const price = 100 / 5_000_000

interface Call {
  at: number
  tokens: number
  isSeen?: boolean
}

/** What a provider tells that counts calls in windows of five hours, in whole percent. */
function tell(calls: readonly Call[], toWhole = Math.floor): LimitReading[] {
  let endsAt = 0
  let used = 0
  return calls.map(({ at, tokens }) => {
    if (at >= endsAt) {
      endsAt = at + 5 * hour
      used = 0
    }
    used += tokens * price
    const whole = Math.min(100, toWhole(used))
    return {
      window: "5h",
      unit: "percent",
      capacity: 100,
      used: whole,
      resetsAt: endsAt,
      lengthMs: 5 * hour,
      at,
    }
  })
}

function work(count: number, seed = 1): Call[] {
  const random = createSeededRandom(seed)
  return Array.from({ length: count }, (_, index) => ({
    at: noon + index * 2 * minute,
    tokens: 10_000 + 40_000 * random.next(),
  }))
}

function spendsOf(calls: readonly Call[]): Use[] {
  return calls.filter(({ isSeen }) => isSeen !== false).map(({ at, tokens }) => ({ at, amount: tokens }))
}

describe("what a token costs of a window", () => {
  test("is not known from too little", () => {
    expect(unitsPerToken([], [])).toBeUndefined()
    const few = work(4)
    expect(unitsPerToken(tell(few), spendsOf(few))).toBeUndefined()
    const calls = work(300)
    expect(unitsPerToken(tell(calls), [])).toBeUndefined()
  })

  test.each([
    ["down", Math.floor],
    ["to the nearest", Math.round],
    ["up", Math.ceil],
  ])("is learned from whole percents rounded %s, over resets", (_, toWhole) => {
    const calls = work(400)
    const learned = unitsPerToken(tell(calls, toWhole), spendsOf(calls)) ?? 0
    expect(learned / price).toBeGreaterThan(0.9)
    expect(learned / price).toBeLessThan(1.1)
  })

  test("is hardly changed by use that nobody saw", () => {
    const calls = work(400).map((call, index) => ({ ...call, isSeen: index % 100 > 20 }))
    const learned = unitsPerToken(tell(calls), spendsOf(calls)) ?? 0
    expect(learned / price).toBeGreaterThan(0.9)
    expect(learned / price).toBeLessThan(1.25)
  })

  test("is a positive number or nothing, for any readings", () => {
    const anyReading = fc.record({
      ...{ window: fc.constant("5h"), unit: fc.constant("percent" as const) },
      ...{ capacity: fc.double(), used: fc.double(), at: fc.double() },
      resetsAt: fc.option(fc.double(), { nil: null }),
      lengthMs: fc.option(fc.double(), { nil: null }),
    })
    const anyUse = fc.record({ at: fc.double(), amount: fc.double() })
    fc.assert(
      fc.property(fc.array(anyReading), fc.array(anyUse), (readings, uses) => {
        const learned = unitsPerToken(readings, uses)
        if (learned !== undefined) expect(learned).toBeGreaterThan(0)
      }),
    )
  })
})

describe("the parts of a window", () => {
  test("give own work its tokens and the user the rest, seen or not", () => {
    const own = ambientUse({ used: 30, capacity: 100 }, { user: 100_000, ambient: 500_000 }, price)
    expect(own).toBe(10)
  })

  test("are told by the tokens while their price is unknown", () => {
    const own = ambientUse({ used: 30, capacity: 100 }, { user: 200_000, ambient: 100_000 }, undefined)
    expect(own).toBe(10)
  })

  test("never make more than the whole", () => {
    const own = ambientUse({ used: 120, capacity: 100 }, { user: 0, ambient: 1e9 }, price)
    expect(own).toBe(100)
  })
})

describe("the token stop of a cycle", () => {
  const percent = (amount: number) => ({ id: "5h", unit: "percent" as const, amount })

  test("is the settings' where no window is tighter", () => {
    expect(tokenStop([], {}, 200_000)).toBe(200_000)
    expect(tokenStop([percent(50)], { "5h": price }, 200_000)).toBe(200_000)
    expect(tokenStop([percent(50)], {}, 200_000)).toBe(200_000)
  })

  test("is what the tightest window allows", () => {
    const tokens = { id: "tokens", unit: "tokens" as const, amount: 70_000 }
    expect(tokenStop([percent(2), tokens], { "5h": price }, 200_000)).toBe(70_000)
    expect(tokenStop([percent(1), tokens], { "5h": 0.0001 }, 200_000)).toBe(10_000)
  })

  test("is nothing where nothing is allowed, known price or not", () => {
    expect(tokenStop([percent(0)], {}, 200_000)).toBe(0)
    expect(tokenStop([percent(Number.NaN)], { "5h": price }, 200_000)).toBe(0)
  })
})

describe("the view of a window", () => {
  function view(calls: readonly Call[], change: Partial<WindowRecords> = {}, now = noon + 4 * hour) {
    const records = {
      readings: tell(calls),
      userSpends: spendsOf(calls),
      ambientSpends: [],
      cycleTokens: [50_000],
    }
    return viewWindow({ ...records, perToken: price, knownSince: noon, ...change }, now)
  }
  const total = (uses: readonly Use[] = []) => uses.reduce((sum, { amount }) => sum + amount, 0)

  test("is none without a reading", () => {
    expect(view([])).toBeUndefined()
  })

  test("is in the window's unit", () => {
    const calls = work(60)
    const window = view(calls)
    expect(window).toMatchObject({ id: "5h", cycleCosts: [1], ambientUsed: 0 })
    expect(total(window?.userUse)).toBeCloseTo(total(spendsOf(calls)) * price, 0)
  })

  test("adds what was spent since the last reading", () => {
    const calls = work(60)
    const at = calls[59]?.at ?? 0
    const later = view(calls, { ambientSpends: [{ at: at + minute, amount: 250_000 }] })
    expect((later?.used ?? 0) - (view(calls)?.used ?? 0)).toBeCloseTo(5)
    expect(later?.ambientUsed).toBeCloseTo(5)
  })

  test("takes use that the ledger does not know for the user's", () => {
    const calls = work(100).map((call, index) => ({ ...call, isSeen: index < 20 || index > 60 }))
    const window = view(calls)
    const real = total(calls.map(({ at, tokens }) => ({ at, amount: tokens * price })))
    expect(Math.abs(total(window?.userUse) - real)).toBeLessThan(3)
  })

  test("takes all use for the user's while the price of a token is unknown", () => {
    const calls = work(100)
    const window = view(calls, { perToken: undefined })
    expect(total(window?.userUse)).toBeCloseTo((window?.used ?? 0) - 0, -1)
    expect(window?.cycleCosts).toEqual([])
  })

  test("does not take an old reading that comes late for a new window", () => {
    const readings = tell(work(100))
    const last = readings.at(-1)
    const late = { ...readings[50], at: (last?.at ?? 0) + minute } as LimitReading
    const window = view(work(100), { readings: [...readings, late] })
    expect(total(window?.userUse)).toBeLessThan((last?.used ?? 0) + 5)
  })

  test("leaves own use of the window before out of the next one", () => {
    const calls = work(60)
    const ambientSpends = [{ at: noon + 3 * hour, amount: 250_000 }]
    expect(view(calls, { ambientSpends }, noon + 6 * hour)?.ambientUsed).toBe(0)
  })
})
