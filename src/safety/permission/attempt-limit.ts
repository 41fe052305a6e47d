import type { Clock } from "../../base/clock.ts"

/** Counts attempts by name, each minute anew. */
export interface AttemptLimit {
  /** Whether there is still one left for a name. */
  allows(name: string): boolean
  /** Takes one; false if none was left. */
  take(name: string): boolean
}

const minuteMs = 60_000

/** Allows so many attempts a minute for each name. */
export function createAttemptLimit(clock: Clock, most: number): AttemptLimit {
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
    allows: (name) => countOf(name) < most,
    take(name) {
      const before = countOf(name)
      if (before >= most) return false
      counts.set(name, before + 1)
      return true
    },
  }
}
