/** Where time comes from. Everything that reads or waits for time takes one, so tests can hold it still. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number
  /** Runs something once after that many milliseconds; the returned function calls it off. */
  after(ms: number, run: () => void): () => void
}

/** The machine's clock. Its timers keep the process alive: whoever starts one calls it off when stopping. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Waits that many milliseconds, or until the signal aborts (then it returns early, without an error). */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      cancel()
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal?.addEventListener("abort", done, { once: true })
  })
}

/** Lets everything else that is ready run first; for long work that would otherwise hold up the whole process. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A moment as people and other programs read it: 2026-01-31T12:00:00.000Z. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Reads an ISO time, or undefined if the text is none. */
export function parseTime(text: string): number | undefined {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

/** A day of the calendar, in UTC. Months and weekdays count from 0, the week from Sunday. */
export interface CalendarDay {
  year: number
  month: number
  day: number
  weekday: number
}

/** The day a moment is on. */
export function calendarDay(ms: number): CalendarDay {
  const date = new Date(ms)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  }
}

/** The first moment of a day; months and days beyond their end go on into the next ones. */
export function startOfDay(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day)
}

/** Minutes that the user's own time is ahead of UTC at a moment. */
export function zoneMinutes(ms: number): number {
  return -new Date(ms).getTimezoneOffset()
}

/** The next moment at which the user's own clock shows this time of day. */
export function nextTimeOfDay(now: number, hours: number, minutes: number): number {
  const at = (day: number) => {
    const local = new Date(now)
    local.setDate(local.getDate() + day)
    local.setHours(hours, minutes, 0, 0)
    return local.getTime()
  }
  const today = at(0)
  return today > now ? today : at(1)
}

/** A moment as the user's own clock shows it: 18:00, with the day where it is not today. */
export function localTime(ms: number, now: number): string {
  const [then, today] = [new Date(ms), new Date(now)]
  const two = (number: number) => String(number).padStart(2, "0")
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`
  if (then.toDateString() === today.toDateString()) return time
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} ${time}`
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** A day as people write it, such as 3 Nov 2026. */
export function dayOf(at: number): string {
  const [year = "", month = "", day = ""] = isoTime(at).slice(0, 10).split("-")
  return `${Number(day)} ${months[Number(month) - 1]} ${year}`
}
