import { parseTime } from "../../../base/clock.ts"
import { spanText } from "../../../base/text/text.ts"

/** A coming moment: "in 5 min", or "now". */
export function inTime(time: string, now: number): string {
  const ms = (parseTime(time) ?? now) - now
  return ms <= 0 ? "now" : `in ${spanText(ms)}`
}

/** A past moment: "5 min ago", or "just now". */
export function timeAgo(time: string, now: number): string {
  const ms = now - (parseTime(time) ?? now)
  return ms < 1000 ? "just now" : `${spanText(ms)} ago`
}

/** An ISO time to the minute: "2026-05-01 18:00". */
export function minuteText(time: string): string {
  return time.slice(0, 16).replace("T", " ")
}
