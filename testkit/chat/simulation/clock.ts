import type { Clock } from "../../../src/base/clock.ts"

/** A clock that goes on only when told, and whose timers can be thrown away together as when a process dies. */
export interface SimulationClock {
  now(): number
  /** A clock for one life of the program. */
  live(): Clock & { die(): void }
  /** Goes on, running what is due; lets everything that is ready run after each. */
  advance(ms: number): Promise<void>
}

export function createSimulationClock(): SimulationClock {
  let now = Date.UTC(2026, 0, 5, 12)
  let timers: { at: number; run: () => void }[] = []
  return {
    now: () => now,
    live() {
      let isDead = false
      return {
        now: () => now,
        after(ms, run) {
          const timer = { at: now + Math.max(0, ms), run: () => (isDead ? undefined : run()) }
          timers.push(timer)
          return () => {
            timers = timers.filter((other) => other !== timer)
          }
        },
        die() {
          isDead = true
        },
      }
    },
    async advance(ms) {
      const end = now + ms
      for (;;) {
        const due = timers.reduce<(typeof timers)[number] | undefined>(
          (first, one) => (one.at <= end && (!first || one.at < first.at) ? one : first),
          undefined,
        )
        if (due === undefined) break
        timers = timers.filter((other) => other !== due)
        now = Math.max(now, due.at)
        due.run()
        await ready()
      }
      now = end
      await ready()
    },
  }
}

/** Lets everything that is ready run; nothing here waits for more than promises. */
export function ready(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
