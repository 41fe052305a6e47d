import { createSimulationClock, type SimulationClock } from "../simulation/clock.ts"

/** A moment of a life: how much time had really gone by, and how far the clock on the wall had been set. */
export interface Moment {
  wall: number
  gone: number
  forwards: number
  backwards: number
}

/** A clock that remembers how often and how far it was set. */
export interface Timeline extends Omit<SimulationClock, "gone"> {
  moment(): Moment
  /** The longest time that anybody could take to have passed since: what really did, and all that was put forward. */
  most(since: Moment): number
  /** Does something after that long, whichever life there is then. */
  later(ms: number, run: () => void): void
  /** The shortest: what really passed, less all that was put back. */
  least(since: Moment): number
}

/** Days around which clocks are changed somewhere, and an ordinary one. */
const beginnings = [
  Date.UTC(2026, 0, 5, 12),
  // Europe and, two weeks earlier, North America put their clocks forward.
  Date.UTC(2026, 2, 28, 21),
  Date.UTC(2026, 2, 8, 3),
  // Lord Howe Island goes half an hour back, then Europe an hour.
  Date.UTC(2026, 3, 4, 12),
  Date.UTC(2026, 9, 24, 21),
]

export function createTimeline(chance: number, rest: () => Promise<void>): Timeline {
  const clock = createSimulationClock(rest)
  let forwards = 0
  let backwards = 0
  const beginning = beginnings[Math.floor(chance * beginnings.length)] ?? clock.now()
  clock.jump(beginning - clock.now())
  const always = clock.live()
  const moment = () => ({ wall: clock.now(), gone: clock.gone(), forwards, backwards })
  return {
    ...{ now: clock.now, live: clock.live, advance: clock.advance, moment },
    later: (ms, run) => void always.after(ms, run),
    jump(ms) {
      if (ms > 0) forwards += ms
      else backwards -= ms
      clock.jump(ms)
    },
    most: (since) => clock.gone() - since.gone + forwards - since.forwards,
    least: (since) => clock.gone() - since.gone - (backwards - since.backwards),
  }
}
