import type { Config } from "../../../src/config/schema.ts"

const formats = new Map<string, Intl.DateTimeFormat>()

/** Whether the clocks of a zone show a time within the quiet hours; written apart from what the program goes by. */
export function isQuietAt(
  at: number,
  { quiet_start, quiet_end, time_zone }: Config["chat"]["initiative"]["text"],
): boolean {
  if (quiet_start === "") return false
  const format =
    formats.get(time_zone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone: time_zone, hour: "2-digit", minute: "2-digit" })
  formats.set(time_zone, format)
  const shown = format.format(at)
  return quiet_start < quiet_end
    ? shown >= quiet_start && shown < quiet_end
    : shown >= quiet_start || shown < quiet_end
}
