import type { Clock } from "../../base/clock.ts"

const minuteMs = 60_000

/** Allows so many attempts for each name, each minute anew. */
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
    /** Whether there is still one left for a name. */
    allows: (name: string) => countOf(name) < most,
    /** Takes one; false if none was left. */
    take(name: string): boolean {
      const before = countOf(name)
      if (before >= most) return false
      counts.set(name, before + 1)
      return true
    },
  }
}
