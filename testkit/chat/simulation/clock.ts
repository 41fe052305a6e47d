import type { Clock } from "../../../src/base/clock.ts"

/** A clock that goes on only when told, and whose timers can be thrown away together as when a process dies. */
export interface SimulationClock {
  /** What the clock on the wall shows. */
  now(): number
  /** How much time has really gone by; no jump changes it. */
  gone(): number
  /** A clock for one life of the program. */
  live(): Clock & { die(): void }
  /** Goes on, running what is due; lets everything that is ready run after each. */
  advance(ms: number): Promise<void>
  /** Shows another time from here on, as when it is set, or after a suspend; timers notice nothing. */
  jump(ms: number): void
}

export function createSimulationClock(rest: () => Promise<void> = ready): SimulationClock {
  const start = Date.UTC(2026, 0, 5, 12)
  let gone = 0
  let ahead = 0
  let timers: { at: number; run: () => void }[] = []
  const now = () => start + gone + ahead
  return {
    now,
    gone: () => gone,
    live() {
      let isDead = false
      return {
        now,
        after(ms, run) {
          const timer = { at: gone + Math.max(0, ms), run: () => (isDead ? undefined : run()) }
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
      // Timers of what has just happened have to be there first.
      await rest()
      const end = gone + ms
      for (;;) {
        const due = timers.reduce<(typeof timers)[number] | undefined>(
          (first, one) => (one.at <= end && (!first || one.at < first.at) ? one : first),
          undefined,
        )
        if (due === undefined) break
        timers = timers.filter((other) => other !== due)
        gone = Math.max(gone, due.at)
        due.run()
        await rest()
      }
      gone = end
      await rest()
    },
    jump(ms) {
      ahead += ms
    },
  }
}

/** Lets everything that is ready run; nothing here waits for more than promises. */
export function ready(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
