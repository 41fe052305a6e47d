import type { Clock } from "../src/base/clock.ts"

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /** Goes on by that many milliseconds, running whatever is due in its order. */
  advance(ms: number): Promise<void>
  /** How many timers wait. */
  readonly waiting: number
}

/** Makes a manual clock; it begins on 1 January 2026, noon. */
export function createManualClock(start = Date.UTC(2026, 0, 1, 12)): ManualClock {
  let now = start
  let timers: { at: number; run: () => void }[] = []
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + Math.max(0, ms), run }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    async advance(ms) {
      const end = now + ms
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        timers = timers.filter((other) => other !== due)
        now = Math.max(now, due.at)
        due.run()
        await settle()
      }
      now = end
      await settle()
    },
    get waiting() {
      return timers.length
    },
  }
}

/** Lets everything that is ready run, including answers of databases and sockets. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}
