import { nextTurn } from "../../../base/clock.ts"

/** How long work leaves room for everything else, and may be called off. */
export interface PaceOptions {
  /** Waited for every few milliseconds of work; lets everything else that is ready run unless told otherwise. */
  pause?: () => Promise<void>
  signal?: AbortSignal
}

/** Work of one step that is not arithmetic on vectors: a node looked at, an entry moved. */
export const stepWork = 2000

/** Counts work and says when it is time for a pause. */
export interface Pace {
  /** Adds to the work done; true when a pause is due. */
  spend(work: number): boolean
  /** Pauses; rejects with the signal's reason when the work was called off. */
  rest(): Promise<void>
}

// Additions of numbers between two pauses: one to three milliseconds with SIMD, about ten without.
const workPerTurn = 6_000_000

/** Paces by work done rather than by a clock, so that the same input pauses at the same points. */
export function createPace({ pause = nextTurn, signal }: PaceOptions): Pace {
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
