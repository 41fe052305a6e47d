import type { Use, WindowView } from "./view.ts"

const hourMs = 3_600_000

/** How much more than ever seen the user may need: something always, and more the less the history tells. */
const growthAlways = 0.1
const growthWhenNew = 0.4

/** Of a time about which nothing is known, it is assumed that the user would need so many whole windows in one. */
const assumedWindows = 3

/**
 * What the user may need until the window resets. The pace of the last hour going on to the end, or the most that was
 * ever used in a stretch as long as that, whichever is more: nights and weekends must not look like no need at all.
 * More use by the user never makes it less.
 */
export function projectUser(window: WindowView, now: number, restMs: number): number {
  const { userUse, knownSince, capacity, lengthMs } = window
  const knownMs = Math.max(0, now - knownSince)
  const seen = largestUse(userUse, Math.min(restMs, knownMs))
  const growth = 1 + growthAlways + growthWhenNew * (knownMs > 0 ? Math.min(1, restMs / knownMs) : 1)
  const unseen = (capacity * assumedWindows * Math.max(0, restMs - knownMs)) / lengthMs
  const pace = usedSince(userUse, now - hourMs) / hourMs
  return Math.max(pace * restMs, seen * growth + unseen)
}

/** The most that was used in any stretch of that length. */
export function largestUse(uses: readonly Use[], spanMs: number): number {
  let largest = 0
  let sum = 0
  let first = 0
  for (const { at, amount } of uses) {
    sum += amount
    for (let oldest = uses[first]; oldest && oldest.at < at - spanMs; oldest = uses[first]) {
      sum -= oldest.amount
      first += 1
    }
    largest = Math.max(largest, sum)
  }
  return largest
}

/** What was used after a moment. */
export function usedSince(uses: readonly Use[], since: number): number {
  let sum = 0
  for (let index = uses.length - 1; index >= 0; index -= 1) {
    const use = uses[index]
    if (use === undefined || use.at <= since) break
    sum += use.amount
  }
  return sum
}
