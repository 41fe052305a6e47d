import type { Use, WindowView } from "./view.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How much more than their maximum the user may need: always, and in addition while only one day is known. */
const growth = { always: 0.1, afterOneDay: 1.5 }
/** Of a long window they may need this share of one more day like their heaviest. */
const extraDay = 0.5

/**
 * The least that is reserved for the user, as a multiple of the even pace until the window ends. `full` reserves almost
 * all of it: for a short window while they are active, and for a long one until one was seen from beginning to end.
 */
const leastPace = { full: 2.5, usual: 0.75 }
/** A window up to this length is short: a busy morning may fill it, and nobody needs it at night. */
const shortMs = dayMs
/** The share of the user's maximum that is reserved at times when they are never active. */
const surpriseShare = 0.3
/** Use at a time of day may grow by this factor. */
const habitGrowth = 2
/** Use of less than this share of a window at a time of day is not a habit. */
const habitShare = 0.02
/** A user who needed this share of a short window may reach its limit. */
const nearLimit = 0.9

/** The user may begin this much earlier than ever (more while little is known), and stay this much longer. */
const earlierMs = hourMs
const laterMs = hourMs / 4
/** How long it takes to learn the user's times of day, and their days of the week. */
const dayHabitsMs = 3 * dayMs
const weekHabitsMs = 14 * dayMs

export interface WindowTime {
  now: number
  restMs: number
  /** Whether it would begin with the next call. */
  isNew: boolean
  /** Whether the user did anything since it began. */
  isUserIn: boolean
}

/**
 * What the user may need until the window resets. More use by the user never makes it less.
 *
 * It is the pace of the last hour until the end, or the most they ever used in a period as long as the rest, whichever is
 * more. Only of a short window less is reserved, if the user is not active and never is at such times.
 */
export function projectUser(window: WindowView, time: WindowTime): number {
  const pace = paceOfUser(window, time.now, time.restMs)
  const most = mostNeeded(window, time)
  return Math.max(pace, neededByHabit(window, time, most))
}

/** What the user needs of the rest at their pace of the last hour. */
export function paceOfUser({ userUse }: WindowView, now: number, restMs: number): number {
  return (usedSince(userUse, now - hourMs) / hourMs) * restMs
}

/** The most they ever used in a period of this length, with growth, and at least the reserve. */
function mostNeeded(window: WindowView, { now, restMs }: WindowTime): number {
  const { userUse, knownSince, capacity, lengthMs } = window
  const knownMs = Math.max(1, now - knownSince)
  const more = 1 + growth.always + growth.afterOneDay * Math.min(1, dayMs / knownMs)
  const seen = largestUse(userUse, restMs) * more
  const full = Math.min(capacity, leastPace.full * evenUse(window, restMs))
  if (lengthMs <= shortMs) return Math.max(seen, full)
  const heaviestDay = largestUse(userUse, dayMs) * Math.min(1, restMs / dayMs)
  const least = knownMs < lengthMs ? full : leastPace.usual * evenUse(window, restMs)
  return Math.max(seen + extraDay * heaviestDay, least)
}

/** What even use of a window takes in a time. */
function evenUse({ capacity, lengthMs }: WindowView, spanMs: number): number {
  return capacity * Math.min(1, spanMs / lengthMs)
}

/** What the user needs by their habits, for short windows; `most` if the habits are unknown. */
function neededByHabit(window: WindowView, time: WindowTime, most: number): number {
  const { userUse, capacity, lengthMs, knownSince } = window
  const knownMs = time.now - knownSince
  if (lengthMs > shortMs || time.isUserIn || knownMs < dayHabitsMs) return most
  const seen = largestUse(userUse, time.restMs)
  const isNearLimit = seen >= nearLimit * capacity
  const earlier = earlierMs * Math.max(1, (isNearLimit ? weekHabitsMs : weekHabitsMs / 2) / knownMs)
  const usual = usualUse(userUse, time, earlier, isNearLimit || knownMs < weekHabitsMs)
  // A window that Reverie starts ends at another time than the user's own would: it is left to them.
  if (time.isNew && usual > habitShare * capacity) return most
  return Math.max(surpriseShare * Math.min(seen, capacity), Math.min(most, habitGrowth * usual))
}

/** The most that was used at the times of day that remain of a window, on any day or on similar days. */
function usualUse(
  uses: readonly Use[],
  { now, restMs }: WindowTime,
  earlier: number,
  isEveryDay: boolean,
): number {
  const from = now - laterMs
  const spanMs = laterMs + restMs + earlier
  const byDay = new Map<number, number>()
  for (const { at, amount } of uses) {
    const daysAgo = -Math.floor((at - from) / dayMs)
    // Similar days are the same day of the week, and yesterday, in case the habits changed.
    if (!isEveryDay && daysAgo !== 1 && daysAgo % 7 !== 0) continue
    if (at - from + daysAgo * dayMs <= spanMs) byDay.set(daysAgo, (byDay.get(daysAgo) ?? 0) + amount)
  }
  return Math.max(0, ...byDay.values())
}

/** The most that was used in any period of this length. */
function largestUse(uses: readonly Use[], spanMs: number): number {
  let largest = 0
  let sum = 0
  let first = 0
  for (const { at, amount } of uses) {
    sum += amount
    for (let oldest = uses[first]; oldest && oldest.at < at - spanMs; oldest = uses[first]) {
      sum -= oldest.amount
      first += 1
    }
    largest = Math.max(largest, sum)
  }
  return largest
}

/** What was used after a time. */
export function usedSince(uses: readonly Use[], since: number): number {
  let sum = 0
  for (let index = uses.length - 1; index >= 0; index -= 1) {
    const use = uses[index]
    if (use === undefined || use.at <= since) break
    sum += use.amount
  }
  return sum
}
