import { InvalidArgumentError } from "commander"
import { type Clock, isoTime, nextTimeOfDay, parseTime } from "../../../base/clock.ts"
import { UserError } from "../../../base/errors.ts"

const minutesOf: Record<string, number> = { m: 1, min: 1, h: 60, d: 1440, w: 10_080 }
const longestMinutes = 525_600

/** Checks an option's value: a span of time such as 30m, 2h or 1h30m; in minutes. */
export function spanOfTime(value: string): number {
  const text = value.replaceAll(/\s/g, "").toLowerCase()
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(min|m|h|d|w)/g)]
  const minutes = parts.reduce(
    (sum, [, number, unit = ""]) => sum + Number(number) * (minutesOf[unit] ?? 0),
    0,
  )
  const isWhole = parts.map(([part]) => part).join("") === text
  if (isWhole && minutes >= 1 && minutes <= longestMinutes) return minutes
  throw new InvalidArgumentError("Give a span such as 30m, 2h or 1d, a year at most.")
}

/** How many minutes it is until a time that was given: 18:00, 2026-05-01, "2026-05-01 18:00" or an ISO time. */
export function minutesUntil({ clock }: { clock: Clock }, option: string, given: string): number {
  const now = clock.now()
  const at = momentOf(given.trim(), now)
  if (at === undefined)
    throw new UserError("usage", `${option} takes a time such as 18:00 or "2026-05-01 18:00", not ${given}.`)
  const minutes = (at - now) / 60_000
  if (minutes <= 0) throw new UserError("usage", `${option} ${given} is over already; give a later time.`)
  if (minutes > longestMinutes) throw new UserError("usage", `${option} ${given} is more than a year away.`)
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
  // Without a zone it is the user's own time; a bare day would count as UTC.
  return parseTime(text.length === 10 ? `${text}T00:00` : text.replace(" ", "T"))
}
