/** The source of time. All code that reads or waits for time takes one, so tests can control it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number
  /** Calls `run` once after this many milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

/** The machine's clock. Its timers keep the process alive, so cancel them when stopping. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Waits this many milliseconds, or until the signal aborts; then it returns early, without an error. */
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

/** Waits until a promise settles, but at most this many milliseconds. */
export function settledWithin(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  const settled = new AbortController()
  const end = () => settled.abort()
  promise.then(end, end)
  return sleep(clock, ms, settled.signal)
}

/** Lets pending callbacks run, so that long work does not block the process. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** An ISO time: 2026-01-31T12:00:00.000Z. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Parses an ISO time; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

/** A calendar day in UTC. Months and weekdays count from 0; the week starts on Sunday. */
export interface CalendarDay {
  year: number
  month: number
  day: number
  weekday: number
}

/** The calendar day of a moment. */
export function calendarDay(ms: number): CalendarDay {
  const date = new Date(ms)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  }
}

/** The first moment of a day. Months and days past their end overflow into the next. */
export function startOfDay(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day)
}

/** The offset of the user's time zone from UTC at a moment, in minutes. */
export function zoneMinutes(ms: number): number {
  return -new Date(ms).getTimezoneOffset()
}

/** The next moment with this local time of day. */
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

/** A moment in local time: 18:00, with the date if it is not today. */
export function localTime(ms: number, now: number): string {
  const [then, today] = [new Date(ms), new Date(now)]
  const two = (number: number) => String(number).padStart(2, "0")
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`
  if (then.toDateString() === today.toDateString()) return time
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} ${time}`
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** A date such as 3 Nov 2026. */
export function formatDay(at: number): string {
  const [year = "", month = "", day = ""] = isoTime(at).slice(0, 10).split("-")
  return `${Number(day)} ${months[Number(month) - 1]} ${year}`
}

/** A moment as callers of the library pass it. */
export type Moment = Date | string | number

/** Milliseconds since 1970 from a Date, ISO text or milliseconds; undefined for anything else. */
export function parseMoment(value: unknown): number | undefined {
  const time =
    value instanceof Date ? value.getTime() : typeof value === "string" ? parseTime(value) : Number(value)
  const isGiven = value instanceof Date || typeof value === "string" || typeof value === "number"
  return isGiven && time !== undefined && Number.isFinite(time) ? Math.round(time) : undefined
}
