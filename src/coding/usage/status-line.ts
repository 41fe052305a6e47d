import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import type { LimitReading } from "../../llm/limits/limit-reading.ts"
import { percentReading } from "../../llm/limits/read-headers.ts"

const windowSchema = z.object({
  used_percentage: z.number(),
  resets_at: z.union([z.number(), z.string()]).nullish(),
})

const inputSchema = z.object({
  rate_limits: z.object({ five_hour: windowSchema.nullish(), seven_day: windowSchema.nullish() }).nullish(),
})

/** How full the plan's windows are, from what Claude Code gives its status line command. */
export function readStatusLine(input: unknown, at: number): LimitReading[] {
  const parsed = inputSchema.safeParse(input)
  const limits = parsed.success ? parsed.data.rate_limits : undefined
  return [
    { name: "5h", minutes: 300, window: limits?.five_hour },
    { name: "7d", minutes: 10_080, window: limits?.seven_day },
  ].flatMap(({ name, minutes, window }) => {
    if (!window) return []
    const resetsAt = momentOf(window.resets_at)
    return [percentReading({ used: window.used_percentage, minutes, resetsAt, name, at })]
  })
}

/** Seconds since 1970, or an ISO time. */
function momentOf(value: number | string | null | undefined): number | undefined {
  if (typeof value === "number") return value * 1000
  return value ? parseTime(value) : undefined
}
