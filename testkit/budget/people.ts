import type { Random } from "../../src/base/random.ts"
import { between, normal, skewed } from "./chance.ts"
import { dayMs, hourMs, minuteMs, type Plan } from "./plans.ts"

/** One call of the user's own. */
export interface UserCall {
  at: number
  tokens: number
  /** What it costs of the windows: calls of the same length differ in price, by model and cache. */
  cost: number
  /** Whether its transcript is on this machine. */
  isSeen: boolean
}

/** One day of a person, counted from the beginning of the simulation: 0 is its first day, -1 the day before. */
interface Day {
  index: number
  /** From Sunday, which is 0. */
  weekday: number
  isWeekend: boolean
}

/** A kind of user: what they use on a day, as a share of a week's window, and how they spread it. */
export interface Person {
  name: string
  shareOfWeek(day: Day, random: Random, plan: Plan): number
  /** In hours of the day; late nights go on beyond 24. */
  begins: [mean: number, spread: number]
  /** How many hours a day lasts from the first call to the last. */
  lasts: number
  /** The share of those hours in which calls are made. */
  density: number
}

const working = { begins: [9.3, 0.7] as [number, number], lasts: 9, density: 0.55 }

/** An ordinary working week with that share of a week's window: some days are heavy, some are off. */
function workWeek(share: number, variety = 0.35): Person["shareOfWeek"] {
  return ({ isWeekend }, random) => {
    const heavy = random.next() < 0.1 ? 1.8 : 1
    const off = random.next() < 0.06 ? 0 : 1
    const weekend = isWeekend ? (random.next() < 0.25 ? 0.4 : 0) : 1
    return (share / 5) * heavy * off * weekend * skewed(random, variety)
  }
}

export const people: readonly Person[] = [
  { name: "light", ...working, shareOfWeek: workWeek(0.12), density: 0.3 },
  { name: "steady", ...working, shareOfWeek: workWeek(0.36) },
  {
    name: "bursts",
    shareOfWeek: (_, random) => (random.next() < 0.5 ? 0.09 * skewed(random, 0.6) : 0),
    begins: [14, 4],
    lasts: 8,
    density: 0.4,
  },
  {
    name: "heavy",
    ...working,
    lasts: 12,
    shareOfWeek: ({ isWeekend }, random) => (isWeekend ? 0.05 : 0.115) * skewed(random, 0.3),
  },
  { name: "over the week's limit", ...working, lasts: 11, shareOfWeek: workWeek(1.3, 0.25) },
  {
    name: "over the 5 h limit",
    ...working,
    lasts: 5,
    density: 0.8,
    // On some days of the week, one more for a plan with a shorter short window, and hardly at all on the others.
    shareOfWeek: ({ weekday }, random, plan) => {
      const [short, week] = plan.windows.map(({ capacity }) => capacity)
      const sprint = (1.3 * (short ?? 0)) / (week ?? 1)
      const sprints = Math.max(1, Math.round(0.4 / sprint))
      return [2, 4, 1, 3, 5].slice(0, sprints).includes(weekday) ? sprint * skewed(random, 0.15) : 0.02
    },
  },
  {
    name: "more in week two",
    ...working,
    shareOfWeek: (day, random, plan) => workWeek(day.index < 7 ? 0.18 : 0.5)(day, random, plan),
  },
  {
    name: "away in week one",
    ...working,
    shareOfWeek: (day, random, plan) =>
      day.index >= 1 && day.index < 8 ? 0 : workWeek(0.42)(day, random, plan),
  },
]

/** All calls a person would make on some days, oldest first, the same for the same randomness. */
export function liveThrough(
  person: Person,
  plan: Plan,
  days: { start: number; from: number; to: number; unseen: number },
  random: Random,
): UserCall[] {
  const calls: UserCall[] = []
  for (let index = days.from; index < days.to; index += 1) {
    const midnight = days.start + index * dayMs
    const weekday = new Date(midnight).getUTCDay()
    const isWeekend = weekday === 0 || weekday === 6
    const share = person.shareOfWeek({ index, weekday, isWeekend }, random, plan)
    const tokens = share * (plan.windows[1]?.capacity ?? 0)
    if (tokens > 0) calls.push(...liveOneDay(person, midnight, tokens, days.unseen, random))
  }
  return calls.toSorted((a, b) => a.at - b.at)
}

/** The calls of a day, in stretches of work with pauses between them. */
function liveOneDay(
  person: Person,
  midnight: number,
  tokens: number,
  unseen: number,
  random: Random,
): UserCall[] {
  const begin = midnight + normal(random, ...person.begins) * hourMs
  const end = begin + person.lasts * hourMs * skewed(random, 0.15)
  const times: { at: number; isSeen: boolean }[] = []
  for (let at = begin; at < end; ) {
    const stretch = 40 * minuteMs * skewed(random, 0.6)
    const isSeen = random.next() >= unseen
    for (const until = at + stretch; at < until; at += between(random, 15_000, 120_000))
      times.push({ at, isSeen })
    at += stretch * (1 / person.density - 1) * skewed(random, 0.5)
  }
  return times.map(({ at, isSeen }) => {
    const own = (tokens / times.length) * skewed(random, 0.6)
    return { at: Math.round(at), tokens: own, cost: own * skewed(random, 0.15), isSeen }
  })
}
