import type { LimitReading } from "../../llm/limits/limit-reading.ts"
import { createSum } from "./sum-between.ts"
import type { Use } from "./view.ts"

/** The least share of the capacity that must be used between two readings to learn from them. */
const leastShare = 0.03
/** Only the newest samples count, so that a changed plan or model is learned again. */
const newest = 40

/**
 * How many units of a window one token costs, from its readings (oldest first) and the tokens spent between them; undefined
 * while there are too few. It is the median weighted by tokens: a sample with use that the ledger did not see has many
 * units for few tokens, and so weighs little.
 */
export function unitsPerToken(readings: readonly LimitReading[], spends: readonly Use[]): number | undefined {
  const samples = findSamples(readings, spends).slice(-newest)
  const sorted = samples.toSorted((a, b) => a.units / a.tokens - b.units / b.tokens)
  const half = samples.reduce((sum, { tokens }) => sum + tokens, 0) / 2
  let passed = 0
  for (const { units, tokens } of sorted) {
    passed += tokens
    if (passed >= half) return units / tokens
  }
  return undefined
}

interface Sample {
  units: number
  tokens: number
}

/** Pairs of readings of the same window, far enough apart that rounding to whole percents matters little. */
function findSamples(readings: readonly LimitReading[], spends: readonly Use[]): Sample[] {
  const samples: Sample[] = []
  const tokensBetween = createSum(spends)
  let start: LimitReading | undefined
  let last: LimitReading | undefined
  for (const reading of readings) {
    if (!isUsable(reading)) continue
    if (last !== undefined && !isSameWindow(last, reading)) start = undefined
    // The first reading lies somewhere between two whole numbers; a change is at one.
    else if (last !== undefined && start === undefined && reading.used > last.used) start = reading
    else if (start !== undefined && reading.used - start.used >= leastShare * reading.capacity) {
      const tokens = tokensBetween(start.at, reading.at)
      if (tokens > 0) {
        samples.push({ units: reading.used - start.used, tokens })
        start = reading
      }
    }
    last = reading
  }
  return samples
}

function isUsable({ used, capacity, at }: LimitReading): boolean {
  return Number.isFinite(used) && capacity > 0 && Number.isFinite(at)
}

/** Whether no reset lies between two readings. Reported reset times vary a little. */
export function isSameWindow(earlier: LimitReading, later: LimitReading): boolean {
  if (earlier.resetsAt === null || later.resetsAt === null) return later.used >= earlier.used
  const slack = Math.max(60_000, (later.lengthMs ?? 0) / 20)
  return later.at <= earlier.resetsAt && Math.abs(later.resetsAt - earlier.resetsAt) <= slack
}
