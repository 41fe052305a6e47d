import { type Clock, sleep } from "../../../base/clock.ts"

const burst = 5

/** Lets some lines go at once and then one after each pause, as servers want it. */
export function createPace(clock: Clock, pauseMs: number) {
  /** When the bucket is full again. */
  let fullAt = 0
  return async (signal: AbortSignal): Promise<void> => {
    const now = clock.now()
    fullAt = Math.max(now, fullAt) + pauseMs
    const waitMs = fullAt - now - burst * pauseMs
    if (waitMs > 0) await sleep(clock, waitMs, signal)
  }
}
