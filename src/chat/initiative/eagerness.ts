const hourMs = 3_600_000

/** The average wait once no other gate refuses. It is a rate over time, so the number of ticks makes no difference. */
function meanWaitMs(eagerness: number): number {
  return eagerness <= 0 ? Number.POSITIVE_INFINITY : (100 / Math.min(100, eagerness) - 1) * hourMs
}

/** An exponentially distributed wait, in units of the mean; `chance` is in [0, 1). */
export function drawWait(chance: number): number {
  return -Math.log(1 - chance)
}

/** A wait in units of the mean, so that eagerness may change meanwhile. */
export interface Waiting {
  needed: number
  waited: number
}

/** The wait after some more time. */
export function waitOn({ needed, waited }: Waiting, ms: number, eagerness: number): Waiting {
  const mean = meanWaitMs(eagerness)
  return { needed, waited: mean === 0 ? needed : waited + Math.max(0, ms) / mean }
}

export function isOver({ needed, waited }: Waiting): boolean {
  return waited >= needed
}
