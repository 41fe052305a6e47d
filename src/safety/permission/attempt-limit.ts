import type { Clock } from "../../base/clock.ts"

const minuteMs = 60_000

/** Allows `most` attempts per minute for each name. */
export function createAttemptLimit(clock: Clock, most: number) {
  let since = clock.now()
  let counts = new Map<string, number>()
  const countOf = (name: string) => {
    if (clock.now() - since >= minuteMs) {
      since = clock.now()
      counts = new Map()
    }
    return counts.get(name) ?? 0
  }
  return {
    /** Whether an attempt is left. */
    allows: (name: string) => countOf(name) < most,
    /** Uses one attempt; false if none is left. */
    take(name: string): boolean {
      const before = countOf(name)
      if (before >= most) return false
      counts.set(name, before + 1)
      return true
    },
  }
}
