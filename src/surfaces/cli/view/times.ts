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
