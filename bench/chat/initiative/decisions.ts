import type { Random } from "../../../src/base/random.ts"

/**
 * What decides instead of a model, the same for our rule and for the original's:
 * - Shown a community afresh, it posts 30 of 100 times, drops it 40 times and holds it 30 times.
 * - A thought that it holds has its moment: after a time with a mean of 60 minutes, drawn when it is first held. Before that
 *   moment it holds on, however often it is asked; at or after it, it posts 70 of 100 thoughts and drops the others.
 * - A fresh look takes one call 70 of 100 times, two 20 times, three 10 times (tools); a held thought takes one.
 * - 2 of 100 looks fail.
 */
export interface Decisions {
  fresh(at: number): Decision
  revisit(held: Moment, at: number): Decision
}

export interface Moment {
  at: number
  endsIn: "post" | "drop"
}

interface Decision {
  action: "post" | "hold" | "drop" | "fail"
  calls: number
  /** Only where it is held for the first time. */
  moment?: Moment
}

const meanHoldMs = 60 * 60_000

export function createDecisions(random: Random): Decisions {
  const isOne = (inHundred: number) => random.next() * 100 < inHundred
  const callsOf = () => {
    const chance = random.next() * 100
    return chance < 70 ? 1 : chance < 90 ? 2 : 3
  }
  return {
    fresh(at) {
      const calls = callsOf()
      if (isOne(2)) return { action: "fail", calls }
      const chance = random.next() * 100
      if (chance < 30) return { action: "post", calls }
      if (chance < 70) return { action: "drop", calls }
      const waitMs = -Math.log(1 - random.next()) * meanHoldMs
      return { action: "hold", calls, moment: { at: at + waitMs, endsIn: isOne(70) ? "post" : "drop" } }
    },
    revisit(held, at) {
      if (isOne(2)) return { action: "fail", calls: 1 }
      return { action: at < held.at ? "hold" : held.endsIn, calls: 1 }
    },
  }
}

/** A community: how many messages people write in an hour, and how much of the time it is talked with. */
export interface Liveliness {
  key: string
  perHour: number
  busyShare: number
}

/** Communities from nearly silent to sixty messages an hour, evenly spread over the orders of magnitude. */
export function createCommunities(many: number): Liveliness[] {
  return Array.from({ length: many }, (_, index) => {
    const perHour = 0.05 * 1200 ** (index / Math.max(1, many - 1))
    return { key: `c${index}`, perHour, busyShare: Math.min(0.1, perHour / 600) }
  })
}

/** How many messages were written there up to a moment since the beginning. */
export function messagesUntil({ perHour }: Liveliness, sinceMs: number): number {
  return Math.floor((perHour * sinceMs) / 3_600_000)
}

/** What was done in a simulated time. */
export interface Tally {
  posts: number
  calls: number
  /** Calls of these that were about a held thought. */
  heldCalls: number
  held: number
  /** The most calls that one thought took which was held. */
  mostCalls: number
  /** Looks for something new, by community. */
  considered: Map<string, number>
}

export function newTally(communities: readonly Liveliness[]): Tally {
  const considered = new Map(communities.map(({ key }) => [key, 0]))
  return { posts: 0, calls: 0, heldCalls: 0, held: 0, mostCalls: 0, considered }
}
