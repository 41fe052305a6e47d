import { InvalidArgumentError, Option } from "commander"
import { type Clock, isoTime, nextTimeOfDay, parseTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"

/** The help of an argument that names a memory, a session, a request or a cycle. */
export const idHelp = "its id, or the beginning or end of it"

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** Parses a whole number from 1 to `most`. */
export function wholeNumber(most: number): (value: string) => number {
  return (value) => {
    if (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= most) return Number(value)
    throw new InvalidArgumentError(`Give a whole number from 1 to ${most}.`)
  }
}

/** `--limit <number>` with its range. */
export function limitOption(most: number, fallback: number): Option {
  const option = new Option("--limit <number>", `how many at most, 1 to ${most}`)
  return option.argParser(wholeNumber(most)).default(fallback)
}

/** Parses a number from 0 to 1. */
export function fraction(value: string): number {
  const number = Number(value)
  if (value.trim() !== "" && number >= 0 && number <= 1) return number
  throw new InvalidArgumentError("Give a number from 0 to 1.")
}

const minutesOf: Record<string, number> = { m: 1, min: 1, h: 60, d: 1440, w: 10_080 }
const longestMinutes = 525_600

/** Parses a duration such as 30m, 2h or 1h30m, and gives it in minutes. */
export function spanOfTime(value: string): number {
  const text = value.replaceAll(/\s/g, "").toLowerCase()
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(min|m|h|d|w)/g)]
  const minutes = parts.reduce(
    (sum, [, number, unit = ""]) => sum + Number(number) * (minutesOf[unit] ?? 0),
    0,
  )
  const isWhole = parts.map(([part]) => part).join("") === text
  if (isWhole && minutes >= 1 && minutes <= longestMinutes) return minutes
  throw new InvalidArgumentError("Give a duration such as 30m, 2h or 1d, at most a year.")
}

/** Minutes until a time of the form 18:00, 2026-05-01, "2026-05-01 18:00" or ISO 8601. */
export function minutesUntil({ clock }: { clock: Clock }, option: string, text: string): number {
  const now = clock.now()
  const at = momentOf(text.trim(), now)
  if (at === undefined)
    throw new UserError("usage", `${option} takes a time such as 18:00 or "2026-05-01 18:00", not ${text}.`)
  const minutes = (at - now) / 60_000
  if (minutes <= 0) throw new UserError("usage", `${option} ${text} is in the past; give a later time.`)
  if (minutes > longestMinutes) throw new UserError("usage", `${option} ${text} is more than a year away.`)
  return minutes
}

function momentOf(text: string, now: number): number | undefined {
  const time = /^(\d{1,2}):(\d{2})$/.exec(text)
  if (time) {
    const [hours, minutes] = [Number(time[1]), Number(time[2])]
    return hours < 24 && minutes < 60 ? nextTimeOfDay(now, hours, minutes) : undefined
  }
  const day = /^(\d{4}-\d{2}-\d{2})/.exec(text)?.[1]
  // 30 February would be read as 2 March.
  if (day === undefined || parseTime(day) === undefined || isoTime(parseTime(day) ?? 0).slice(0, 10) !== day)
    return undefined
  // Without a zone it is local time; a bare day would be read as UTC.
  return parseTime(text.length === 10 ? `${text}T00:00` : text.replace(" ", "T"))
}
