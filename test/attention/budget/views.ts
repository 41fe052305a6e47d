import fc from "fast-check"
import type { BudgetSettings, BudgetView, WindowView } from "../../../src/attention/budget/view.ts"

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
/** A Monday noon. */
export const noon = Date.UTC(2026, 0, 12, 12)

export const settings: BudgetSettings = {
  minIntervalMs: 5 * minute,
  maxIntervalMs: 120 * minute,
  defaultIntervalMs: 30 * minute,
  reserve: 0.2,
  userActiveMs: 15 * minute,
  whenUserActive: "pause",
  stretch: 4,
  idleAfterMs: 3 * hour,
  cycleMs: 10 * minute,
}

/** A week's window in its middle, half of it used by the user long ago, cycles at half a percent. */
export function weekWindow(change: Partial<WindowView> = {}): WindowView {
  return {
    id: "7d",
    unit: "percent",
    capacity: 100,
    used: 20,
    resetsAt: noon + 3.5 * day,
    lengthMs: 7 * day,
    readAt: noon - hour,
    userUse: [{ at: noon - 10 * day, amount: 20 }],
    knownSince: noon - 14 * day,
    ambientUsed: 0,
    cycleCosts: [0.5, 0.5, 0.5],
    ...change,
  }
}

export function fiveHourWindow(change: Partial<WindowView> = {}): WindowView {
  return weekWindow({
    id: "5h",
    lengthMs: 5 * hour,
    resetsAt: noon + 3 * hour,
    cycleCosts: [4, 4, 4],
    ...change,
  })
}

/** Nobody is there, nothing was refused, one window is known. */
export function budgetView(change: Partial<BudgetView> = {}): BudgetView {
  return {
    now: noon,
    windows: [weekWindow()],
    lastUserActivityAt: noon - hour,
    refusals: null,
    calmCycles: 10,
    lastCycleAt: noon - day,
    daily: null,
    ...change,
  }
}

const amounts = fc.double({ min: 0, max: 60, noNaN: true })

/** A user's hours, oldest first. */
const uses = fc
  .array(fc.record({ at: fc.integer({ min: noon - 14 * day, max: noon }), amount: amounts }), {
    maxLength: 40,
  })
  .map((list) => list.toSorted((a, b) => a.at - b.at))

export const windows: fc.Arbitrary<WindowView> = fc
  .record({
    hours: fc.constantFrom(5, 24, 168),
    rest: fc.double({ min: 0.001, max: 1, noNaN: true }),
    used: fc.double({ min: 0, max: 110, noNaN: true }),
    ambientShare: fc.double({ min: 0, max: 1, noNaN: true }),
    userUse: uses,
    knownDays: fc.double({ min: 0, max: 14, noNaN: true }),
    cycleCosts: fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { maxLength: 7 }),
    isOver: fc.boolean(),
  })
  .map(({ hours, rest, used, ambientShare, userUse, knownDays, cycleCosts, isOver }) => ({
    id: `${hours}h`,
    unit: "percent" as const,
    capacity: 100,
    used,
    resetsAt: isOver ? noon - rest * hour : noon + rest * hours * hour,
    lengthMs: hours * hour,
    readAt: noon - hour,
    userUse,
    knownSince: noon - knownDays * day,
    ambientUsed: isOver ? 0 : used * ambientShare,
    cycleCosts,
  }))

const someTime = fc.option(fc.integer({ min: noon - 3 * day, max: noon }), { nil: null })

export const views: fc.Arbitrary<BudgetView> = fc.record({
  now: fc.constant(noon),
  windows: fc.array(windows, { maxLength: 3 }),
  lastUserActivityAt: someTime,
  refusals: fc.option(
    fc.record({
      inARow: fc.integer({ min: 0, max: 8 }),
      lastAt: fc.integer({ min: noon - day, max: noon }),
      blockedUntil: fc.option(fc.integer({ min: noon - day, max: noon + day }), { nil: null }),
    }),
    { nil: null },
  ),
  calmCycles: fc.integer({ min: 0, max: 40 }),
  lastCycleAt: someTime,
  daily: fc.option(
    fc.record({
      spentUsd: fc.double({ min: 0, max: 12, noNaN: true }),
      capUsd: fc.double({ min: 0, max: 10, noNaN: true }),
      resetsAt: fc.integer({ min: noon + 1, max: noon + day }),
      cycleCostsUsd: fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { maxLength: 6 }),
    }),
    { nil: null },
  ),
})

export const someSettings: fc.Arbitrary<BudgetSettings> = fc.record({
  minIntervalMs: fc.integer({ min: minute, max: 30 * minute }),
  maxIntervalMs: fc.integer({ min: 30 * minute, max: day }),
  defaultIntervalMs: fc.constant(30 * minute),
  reserve: fc.double({ min: 0, max: 0.9, noNaN: true }),
  userActiveMs: fc.integer({ min: 0, max: hour }),
  whenUserActive: fc.constantFrom("pause" as const, "stretch" as const),
  stretch: fc.double({ min: 1, max: 6, noNaN: true }),
  idleAfterMs: fc.integer({ min: hour, max: 8 * hour }),
  cycleMs: fc.integer({ min: 0, max: hour }),
})
