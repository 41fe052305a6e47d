import type { Clock } from "../../base/clock.ts"

/** A circuit breaker: stops calls that keep failing. */
export interface Breaker {
  isOpen(): boolean
  failed(): void
  succeeded(): void
}

/** This many failures in a row open it: first for five minutes, then twice as long each time, up to an hour. */
const failuresAllowed = 3
const firstRestMs = 5 * 60_000
const longestRestMs = 60 * 60_000

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
    succeeded() {
      failures = 0
      restMs = firstRestMs
    },
  }
}
