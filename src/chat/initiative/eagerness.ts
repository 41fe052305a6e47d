const hourMs = 3_600_000

/**
 * How long it waits on average, once nothing else keeps it from thinking. It is a rate over time: how often anybody looks
 * whether the time has come makes no difference.
 */
function meanWaitMs(eagerness: number): number {
  return eagerness <= 0 ? Number.POSITIVE_INFINITY : (100 / Math.min(100, eagerness) - 1) * hourMs
}

/** A waiting time of an exponential distribution, in units of the mean; `chance` is from 0 up to, not including, 1. */
export function drawWait(chance: number): number {
  return -Math.log(1 - chance)
}

/** A wait that is under way, both in units of the mean, so that eagerness may change meanwhile. */
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
