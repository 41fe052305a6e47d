import type { Clock } from "../../base/clock.ts"

/** Keeps something that fails again and again from being tried each time. */
export interface Breaker {
  isOpen(): boolean
  failed(): void
  worked(): void
}

/** So many failures in a row open it, for this long at first and twice as long each time, up to the longest. */
const failuresAllowed = 3
const firstRestMs = 5 * 60_000
const longestRestMs = 60 * 60_000

/** Makes a breaker that lets everything through. */
export function createBreaker({ clock }: { clock: Clock }): Breaker {
  let failures = 0
  let restMs = firstRestMs
  let closedAt = 0
  return {
    isOpen: () => clock.now() < closedAt,
    failed() {
      failures += 1
      if (failures < failuresAllowed) return
      closedAt = clock.now() + restMs
      restMs = Math.min(longestRestMs, restMs * 2)
      failures = 0
    },
    worked() {
      failures = 0
      restMs = firstRestMs
    },
  }
}
