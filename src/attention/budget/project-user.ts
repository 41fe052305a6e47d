import type { Use, WindowView } from "./view.ts"

const hourMs = 3_600_000

const dayMs = 24 * hourMs

/** How much more than ever seen the user may need: always, per part of the history that the rest makes, and per day. */
const growth = { always: 0.1, byRest: 0.6, byDay: 1.5 }

/** Of a time about which nothing is known, it is assumed that the user would need so many whole windows in one. */
const assumedWindows = 3

/**
 * Whatever they needed so far, the user gets this share of what is left of a window's time; of a long one more than all
 * until one was seen from beginning to end, because the days seen may have been the quiet ones.
 */
const leastShare = { short: 0.8, long: 0.5, longUnseen: 1.5 }
/** A window up to this length is short: one busy morning may fill it, and at night nobody needs it. */
const shortMs = dayMs
/** What is kept of the most the user ever needed, at a time when they never come. */
const surpriseShare = 0.5
/** What was used at a time of the day may become so many times as much. */
const habitGrowth = 2
/** Less than this share of a window at a time of the day is no habit. */
const habitShare = 0.03
/** Who needed this share of a window may reach its limit. */
const nearLimit = 0.9

/** The user may come so much earlier than ever, and stay so much longer. */
const earlierMs = hourMs
const laterMs = hourMs / 2
/** After so long it is known at what times of the day the user comes, and after so long on what days of the week. */
const dayHabitsMs = 3 * dayMs
const weekHabitsMs = 14 * dayMs

/** How much is left of a window, and whether it began at all, and with the user. */
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
 * It is the pace of the last hour going on to the end, or the most that was ever used in a stretch as long as the rest,
 * whichever is more: nights and weekends must not look like no need at all. Only of a short window, which nobody needs
 * at night, less is kept if the user has not come and never comes at such times.
 */
export function projectUser(window: WindowView, time: WindowTime): number {
  const pace = (usedSince(window.userUse, time.now - hourMs) / hourMs) * time.restMs
  const most = mostNeeded(window, time)
  return Math.max(pace, neededByHabit(window, time, most))
}

/** The most that was ever used in a stretch of that length, more for what is not known yet, and some in any case. */
function mostNeeded(
  { userUse, knownSince, capacity, lengthMs }: WindowView,
  { now, restMs }: WindowTime,
): number {
  const knownMs = Math.max(1, now - knownSince)
  const seen = largestUse(userUse, Math.min(restMs, knownMs))
  const byRest = growth.byRest * Math.min(1, restMs / knownMs)
  const byDay = growth.byDay * Math.min(1, dayMs / knownMs)
  const unseen = (capacity * assumedWindows * Math.max(0, restMs - knownMs)) / lengthMs
  const longShare = knownMs < lengthMs ? leastShare.longUnseen : leastShare.long
  const share = lengthMs <= shortMs ? leastShare.short : longShare
  const least = share * capacity * Math.min(1, restMs / lengthMs)
  return Math.max(least, seen * (1 + growth.always + byRest + byDay) + unseen)
}

/** What the user needs by their habits, which matter for short windows only; the most where they tell nothing. */
function neededByHabit(window: WindowView, time: WindowTime, most: number): number {
  const { userUse, capacity, lengthMs, knownSince } = window
  const knownMs = time.now - knownSince
  if (lengthMs > shortMs || time.isUserIn || knownMs < dayHabitsMs) return most
  const isNearLimit = most >= nearLimit * capacity
  const usual = usualUse(userUse, time, isNearLimit || knownMs < weekHabitsMs)
  // A window begun by Reverie ends at another time than the user's own would: near the limit that may cost them.
  if (time.isNew && isNearLimit && usual > habitShare * capacity) return Math.max(most, capacity)
  return Math.max(surpriseShare * Math.min(most, capacity), Math.min(most, habitGrowth * usual))
}

/** The most that was used at the times of the day that are left of a window, on any day or on days like this one. */
function usualUse(uses: readonly Use[], { now, restMs }: WindowTime, isEveryDay: boolean): number {
  const from = now - laterMs
  const spanMs = laterMs + restMs + earlierMs
  const byDay = new Map<number, number>()
  for (const { at, amount } of uses) {
    const daysAgo = -Math.floor((at - from) / dayMs)
    // Days like this one are those of the same name, and yesterday, in case the habits changed.
    if (!isEveryDay && daysAgo !== 1 && daysAgo % 7 !== 0) continue
    if (at - from + daysAgo * dayMs <= spanMs) byDay.set(daysAgo, (byDay.get(daysAgo) ?? 0) + amount)
  }
  return Math.max(0, ...byDay.values())
}

/** The most that was used in any stretch of that length. */
export function largestUse(uses: readonly Use[], spanMs: number): number {
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

/** What was used after a moment. */
export function usedSince(uses: readonly Use[], since: number): number {
  let sum = 0
  for (let index = uses.length - 1; index >= 0; index -= 1) {
    const use = uses[index]
    if (use === undefined || use.at <= since) break
    sum += use.amount
  }
  return sum
}
