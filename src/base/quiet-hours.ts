/** Hours of the day without notices. Times are HH:MM, or empty for none. */
export interface QuietHours {
  quiet_start: string
  quiet_end: string
  /** Empty means the machine's. */
  time_zone: string
}

const minuteMs = 60_000
const dayMinutes = 1440

/** The first moment at or after `at` outside of the quiet hours. */
export function afterQuietHours(at: number, hours: QuietHours): number {
  return openQuietHours(hours)(at)
}

/** The same as a function, for many moments. */
export function openQuietHours(hours: QuietHours): (at: number) => number {
  const start = minutesOf(hours.quiet_start)
  const end = minutesOf(hours.quiet_end)
  if (start === undefined || end === undefined || start === end) return (at) => at
  const local = createLocalMinutes(hours.time_zone)
  return (at) => after(at, start, end, local)
}

function after(at: number, start: number, end: number, local: (at: number) => number): number {
  const isQuiet = (moment: number) => {
    const minutes = local(moment)
    return start < end ? minutes >= start && minutes < end : minutes >= start || minutes < end
  }
  if (!isQuiet(at)) return at
  const wholeMinute = Math.floor(at / minuteMs) * minuteMs
  const straight = wholeMinute + wrap(end - local(at)) * minuteMs
  // A change to or from daylight saving time in between moves the end by an hour.
  const off = wrap(end - local(straight) + dayMinutes / 2) - dayMinutes / 2
  let moment = straight + off * minuteMs
  // The end may be a local time that is skipped: take the first minute that is not quiet.
  while (isQuiet(moment)) moment += minuteMs
  return moment
}

function wrap(minutes: number): number {
  return ((minutes % dayMinutes) + dayMinutes) % dayMinutes
}

function minutesOf(time: string): number | undefined {
  const [hours, minutes] = time.split(":").map(Number)
  return time === "" ? undefined : (hours ?? 0) * 60 + (minutes ?? 0)
}

/** Formatters by zone, because they are slow to create. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the local minute of the day (0 to 1439) of a moment, in a time zone. */
function createLocalMinutes(zone: string): (at: number) => number {
  // The machine's own zone is not cached because it may change.
  const known = zone === "" ? undefined : formats.get(zone)
  const format = known ?? makeFormat(zone)
  if (zone !== "") formats.set(zone, format)
  return (at) => minutesOf(format.format(at)) ?? 0
}

function makeFormat(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(zone === "" ? {} : { timeZone: zone }),
  })
}
