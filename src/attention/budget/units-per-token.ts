import type { LimitReading } from "../../llm/limits/limit-reading.ts"
import { createSum } from "./sum-between.ts"
import type { Use } from "./view.ts"

/** A stretch between two readings is worth learning from if at least so much of the capacity was used in it. */
const leastShare = 0.03
/** The newest stretches count, so that a changed plan or model is learned again. */
const newest = 40

/**
 * How many units of a window one token costs, from its readings (oldest first) and the tokens spent by anyone in the
 * meantime. Undefined until something can be told. Of all stretches the middle one by tokens counts: a stretch in which
 * somebody used the window unseen has many units for few tokens, and so weighs little.
 */
export function unitsPerToken(readings: readonly LimitReading[], spends: readonly Use[]): number | undefined {
  const stretches = findStretches(readings, spends).slice(-newest)
  const sorted = stretches.toSorted((a, b) => a.units / a.tokens - b.units / b.tokens)
  const half = stretches.reduce((sum, { tokens }) => sum + tokens, 0) / 2
  let passed = 0
  for (const { units, tokens } of sorted) {
    passed += tokens
    if (passed >= half) return units / tokens
  }
  return undefined
}

interface Stretch {
  units: number
  tokens: number
}

/** From one change of the reading to a later one of the same window, long enough for whole percents to tell much. */
function findStretches(readings: readonly LimitReading[], spends: readonly Use[]): Stretch[] {
  const stretches: Stretch[] = []
  const tokensBetween = createSum(spends)
  let start: LimitReading | undefined
  let last: LimitReading | undefined
  for (const reading of readings) {
    if (!isUsable(reading)) continue
    if (last !== undefined && !isSameWindow(last, reading)) start = undefined
    // The first reading of a window stands somewhere between two whole numbers; a change stands at one.
    else if (last !== undefined && start === undefined && reading.used > last.used) start = reading
    else if (start !== undefined && reading.used - start.used >= leastShare * reading.capacity) {
      const tokens = tokensBetween(start.at, reading.at)
      if (tokens > 0) {
        stretches.push({ units: reading.used - start.used, tokens })
        start = reading
      }
    }
    last = reading
  }
  return stretches
}

function isUsable({ used, capacity, at }: LimitReading): boolean {
  return Number.isFinite(used) && capacity > 0 && Number.isFinite(at)
}

/** Whether no reset lies between two readings. Resets are told to the second, or a little apart each time. */
export function isSameWindow(earlier: LimitReading, later: LimitReading): boolean {
  if (earlier.resetsAt === null || later.resetsAt === null) return later.used >= earlier.used
  const slack = Math.max(60_000, (later.lengthMs ?? 0) / 20)
  return later.at <= earlier.resetsAt && Math.abs(later.resetsAt - earlier.resetsAt) <= slack
}
