import type { Random } from "../../src/base/random.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** What happens in a minute of the simulated person's life. */
export interface Minute {
  isWorking: boolean
  closes: "closed" | "crashed" | undefined
  /** Says two things that contradict each other. */
  contradicts: boolean
  /** Plans something for so many minutes later. */
  plans: number | undefined
}

/** The days of their holiday, counted from the first. */
const holiday = { from: 18, to: 27 }

/** A person who works on weekdays from nine to half past twelve and from half past one to six, and rests otherwise. */
export function liveMinute(now: number, startedAt: number, random: Random): Minute {
  const day = Math.floor((now - startedAt) / dayMs)
  const hour = ((now - startedAt) % dayMs) / hourMs
  const isAway = day % 7 >= 5 || (day >= holiday.from && day < holiday.to)
  const isWorking = !isAway && ((hour >= 9 && hour < 12.5) || (hour >= 13.5 && hour < 18))
  if (!isWorking) return { isWorking, closes: undefined, contradicts: false, plans: undefined }
  const chance = (perDay: number) => random.next() < perDay / (8 * 60)
  return {
    isWorking,
    closes: chance(3) ? (random.next() < 0.2 ? "crashed" : "closed") : undefined,
    contradicts: chance(1),
    plans: chance(1.5) ? Math.floor(random.next() * 3 * 24 * 60) : undefined,
  }
}
