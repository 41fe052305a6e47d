import { type Clock, systemClock, yieldToEventLoop } from "../src/base/clock.ts"

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /** Goes on by that many milliseconds, running whatever is due in its order; `rest` waits for what each began. */
  advance(ms: number, rest?: () => Promise<void>): Promise<void>
  /** Is later by that many milliseconds at once, as after a suspend, and runs what became due meanwhile once. */
  jump(ms: number, rest?: () => Promise<void>): Promise<void>
  /** How many timers wait. */
  readonly waiting: number
}

/** Makes a manual clock; it begins on 1 January 2026, noon. */
export function createManualClock(start = Date.UTC(2026, 0, 1, 12)): ManualClock {
  let now = start
  let timers: { at: number; run: () => void }[] = []
  const clock: ManualClock = {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + Math.max(0, ms), run }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    async advance(ms, rest = settle) {
      const end = now + ms
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        timers = timers.filter((other) => other !== due)
        now = Math.max(now, due.at)
        due.run()
        await rest()
      }
      now = Math.max(now, end)
      await rest()
    },
    jump(ms, rest) {
      now += ms
      return clock.advance(0, rest)
    },
    get waiting() {
      return timers.length
    },
  }
  return clock
}

/** Lets everything that is ready run, including answers of databases and sockets. */
async function settle(): Promise<void> {
  await yieldToEventLoop()
  await yieldToEventLoop()
}

/** Turns of the event loop that are waited for without a pause between them. */
const eagerTurns = 50

/** Waits until something is so, however long that takes the machine; a clock stands still meanwhile. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns += 1) {
    if (turns < eagerTurns) await yieldToEventLoop()
    else await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/**
 * The same time with timers of the machine, for a database: looking for other processes' commits ten times in every
 * simulated second would be most of the work.
 */
export function withRealTimers(clock: Clock): Clock {
  return { now: () => clock.now(), after: systemClock.after }
}

/**
 * The same time, but pauses before a call is tried again take none of it: nobody has to guess, by how fast the machine
 * is, that one has begun. A pause has a random part; a time limit is whole seconds, and is not shortened.
 */
export function withoutPauses(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    after(ms, run) {
      if (ms % 1000 === 0) return clock.after(ms, run)
      const soon = setImmediate(run)
      return () => clearImmediate(soon)
    },
  }
}
