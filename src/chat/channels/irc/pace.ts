import { type Clock, sleep } from "../../../base/clock.ts"

const burst = 5

/** A rate limit: a burst of lines, then one per pause, as servers require. */
export function createPace(clock: Clock, pauseMs: number) {
  let fullAt = 0
  return async (signal: AbortSignal): Promise<void> => {
    const now = clock.now()
    fullAt = Math.max(now, fullAt) + pauseMs
    const waitMs = fullAt - now - burst * pauseMs
    if (waitMs > 0) await sleep(clock, waitMs, signal)
  }
}
