import type { Use, WindowView } from "./view.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How much more than ever seen the user may need: in any case, and on top of that the day after the first one. */
const growth = { always: 0.1, afterOneDay: 1.5 }
/** Of a long window they may need so much of one more day as heavy as the heaviest. */
const extraDay = 0.5

/**
 * Whatever they needed so far, the user may use a window at so many times the even pace until it ends. At the full pace
 * it is all theirs but for the end: a short one when they come, and a long one as long as none was seen from beginning
 * to end, because the days seen may have been the quiet ones.
 */
const leastPace = { full: 2.5, usual: 0.75 }
/** A window up to this length is short: one busy morning may fill it, and at night nobody needs it. */
const shortMs = dayMs
/** What is kept of the most the user ever needed, at a time when they never come. */
const surpriseShare = 0.3
/** What was used at a time of the day may become so many times as much. */
const habitGrowth = 2
/** Less than this share of a window at a time of the day is no habit. */
const habitShare = 0.02
/** Who needed this share of a short window may reach its limit, wherever it begins. */
const nearLimit = 0.9

/** The user may come so much earlier than ever, or more as long as little is known, and stay so much longer. */
const earlierMs = hourMs
const laterMs = hourMs / 4
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
  const pace = paceOfUser(window, time.now, time.restMs)
  const most = mostNeeded(window, time)
  return Math.max(pace, neededByHabit(window, time, most))
}

/** What the user needs of the rest if they go on as in the last hour. */
export function paceOfUser({ userUse }: WindowView, now: number, restMs: number): number {
  return (usedSince(userUse, now - hourMs) / hourMs) * restMs
}

/** The most that was ever used in a stretch of that length, more for what is not known yet, and some in any case. */
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

/** What is used of a window in some time if it is used up evenly. */
function evenUse({ capacity, lengthMs }: WindowView, spanMs: number): number {
  return capacity * Math.min(1, spanMs / lengthMs)
}

/** What the user needs by their habits, which matter for short windows only; the most where they tell nothing. */
function neededByHabit(window: WindowView, time: WindowTime, most: number): number {
  const { userUse, capacity, lengthMs, knownSince } = window
  const knownMs = time.now - knownSince
  if (lengthMs > shortMs || time.isUserIn || knownMs < dayHabitsMs) return most
  const seen = largestUse(userUse, time.restMs)
  const isNearLimit = seen >= nearLimit * capacity
  const earlier = earlierMs * Math.max(1, (isNearLimit ? weekHabitsMs : weekHabitsMs / 2) / knownMs)
  const usual = usualUse(userUse, time, earlier, isNearLimit || knownMs < weekHabitsMs)
  // A window begun by Reverie ends at another time than the user's own would, which may cost them: it is left to them.
  if (time.isNew && usual > habitShare * capacity) return most
  return Math.max(surpriseShare * Math.min(seen, capacity), Math.min(most, habitGrowth * usual))
}

/** The most that was used at the times of the day that are left of a window, on any day or on days like this one. */
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
    // Days like this one are those of the same name, and yesterday, in case the habits changed.
    if (!isEveryDay && daysAgo !== 1 && daysAgo % 7 !== 0) continue
    if (at - from + daysAgo * dayMs <= spanMs) byDay.set(daysAgo, (byDay.get(daysAgo) ?? 0) + amount)
  }
  return Math.max(0, ...byDay.values())
}

/** The most that was used in any stretch of that length. */
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
