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
