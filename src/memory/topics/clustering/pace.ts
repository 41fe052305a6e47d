import { yieldToEventLoop } from "../../../base/clock.ts"

/** How long work pauses for other work, and how it is cancelled. */
export interface PaceOptions {
  /** Awaited every few milliseconds of work; by default it lets other pending tasks run. */
  pause?: () => Promise<void>
  signal?: AbortSignal
}

/** The work of one step that is not vector arithmetic, such as visiting a node. */
export const stepWork = 2000

/** Counts work, in additions of numbers, and says when a pause is due. */
export interface Pace {
  /** Adds to the work done; true when a pause is due. */
  spend(work: number): boolean
  /** Pauses; rejects with the signal's reason when the work was cancelled. */
  rest(): Promise<void>
}

// Additions of numbers between two pauses: one to three milliseconds with SIMD, about ten without.
const workPerTurn = 6_000_000

/** Pauses by the amount of work, not by a clock, so that the same input pauses at the same points. */
export function createPace({ pause = yieldToEventLoop, signal }: PaceOptions): Pace {
  let done = 0
  return {
    spend(work) {
      done += work
      return done >= workPerTurn
    },
    async rest() {
      done = 0
      signal?.throwIfAborted()
      await pause()
      signal?.throwIfAborted()
    },
  }
}
