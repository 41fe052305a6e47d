import { unitsPerToken } from "../../src/attention/budget/units-per-token.ts"
import type { BudgetView, Use, WindowView } from "../../src/attention/budget/view.ts"
import { viewWindow } from "../../src/attention/budget/view-window.ts"
import type { LimitReading } from "../../src/llm/limits/limit-reading.ts"
import { dayMs, hourMs, minuteMs } from "./plans.ts"

const keptMs = 28 * dayMs
const stepMs = 10 * minuteMs

/** What Reverie knows in a simulation: the same as its ledger and its stored readings would tell. */
export interface Ledger {
  noteUser(at: number, tokens: number, readings: readonly LimitReading[]): void
  noteAmbient(at: number, tokens: number, readings: readonly LimitReading[]): void
  noteCycle(at: number, tokens: number, refusedUntil: number | undefined): void
  view(now: number): BudgetView
  /** What a token costs of each window, where it is known. */
  prices(now: number): Record<string, number | undefined>
}

export function createLedger(knownSince: number): Ledger {
  const user: Use[] = []
  const ambient: Use[] = []
  /** Every call of both, for learning what a token costs. */
  const spends: Use[] = []
  const readings = new Map<string, LimitReading[]>()
  const cycleTokens: number[] = []
  let refusals: BudgetView["refusals"] = null
  let calmCycles = 0
  let lastCycleAt: number | null = null
  /** Counts what was noted, so that nothing is worked out twice. */
  let noted = 0
  const seen = new Map<string, { key: string; window: WindowView | undefined }>()
  let learnt: { at: number; prices: Record<string, number | undefined> } | undefined

  function noteReadings(told: readonly LimitReading[]): void {
    noted += 1
    for (const reading of told) {
      const list = readings.get(reading.window) ?? []
      readings.set(reading.window, list)
      const [before, last] = list.slice(-2)
      const isRepeated = before?.used === reading.used && last?.used === reading.used
      if (isRepeated && last?.resetsAt === reading.resetsAt) list.pop()
      list.push(reading)
    }
  }

  function prices(now: number): Record<string, number | undefined> {
    if (learnt === undefined || now - learnt.at >= hourMs) {
      const list = [...readings].map(([id, told]) => [id, unitsPerToken(told, spends)] as const)
      learnt = { at: now, prices: Object.fromEntries(list) }
    }
    return learnt.prices
  }

  function forget(now: number): void {
    for (const list of [user, ambient, spends, ...readings.values()] as { at: number }[][]) {
      const first = list.findIndex(({ at }) => at >= now - keptMs)
      if (first > 0) list.splice(0, first)
    }
  }

  function viewOne(id: string, told: readonly LimitReading[], now: number): WindowView | undefined {
    const perToken = prices(now)[id]
    const isOver = (told.at(-1)?.resetsAt ?? 0) <= now
    const key = `${noted} ${perToken} ${isOver}`
    const known = seen.get(id)
    if (known?.key === key) return known.window
    const records = { readings: told, userSpends: user, ambientSpends: ambient, perToken, knownSince }
    const window = viewWindow({ ...records, cycleTokens: cycleTokens.slice(-5) }, now)
    seen.set(id, { key, window })
    return window
  }

  return {
    noteUser(at, tokens, told) {
      add(user, at, tokens)
      spends.push({ at, amount: tokens })
      noteReadings(told)
    },
    noteAmbient(at, tokens, told) {
      add(ambient, at, tokens)
      spends.push({ at, amount: tokens })
      noteReadings(told)
    },
    noteCycle(at, tokens, refusedUntil) {
      lastCycleAt = at
      if (refusedUntil === undefined) {
        cycleTokens.push(tokens)
        calmCycles += 1
        return
      }
      const inARow = calmCycles === 0 ? (refusals?.inARow ?? 0) + 1 : 1
      refusals = { inARow, lastAt: at, blockedUntil: refusedUntil }
      calmCycles = 0
    },
    prices,
    view(now) {
      forget(now)
      const windows = [...readings].flatMap(([id, told]) => viewOne(id, told, now) ?? [])
      return {
        now,
        windows,
        lastUserActivityAt: user.at(-1)?.at ?? null,
        ...{ refusals, calmCycles, lastCycleAt, daily: null },
      }
    },
  }
}

/** Adds to the sum of a few minutes. */
function add(uses: Use[], at: number, amount: number): void {
  const last = uses.at(-1)
  if (last !== undefined && Math.floor(last.at / stepMs) === Math.floor(at / stepMs)) {
    last.at = at
    last.amount += amount
  } else uses.push({ at, amount })
}
