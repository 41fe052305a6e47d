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

/** The state of the plan's limits, from the input of Claude Code's status line command. */
export function readStatusLine(input: unknown, at: number): LimitReading[] {
  const parsed = inputSchema.safeParse(input)
  const limits = parsed.success ? parsed.data.rate_limits : undefined
  return [
    { name: "5h", minutes: 300, window: limits?.five_hour },
    { name: "7d", minutes: 10_080, window: limits?.seven_day },
  ].flatMap(({ name, minutes, window }) => {
    if (!window) return []
    const resetsAt = timeOf(window.resets_at)
    return [percentReading({ used: window.used_percentage, minutes, resetsAt, name, at })]
  })
}

/** Seconds since 1970, or an ISO time. */
function timeOf(value: number | string | null | undefined): number | undefined {
  if (typeof value === "number") return value * 1000
  return value ? parseTime(value) : undefined
}
