import { z } from "zod"
import { percentReading } from "./read-headers.ts"

/** One limit window of a plan, as Codex writes it into its sessions. */
export const codexWindow = z.object({
  used_percent: z.number(),
  window_minutes: z.number().nullish(),
  resets_at: z.number().nullish(),
})

export function codexReading(window: z.output<typeof codexWindow>, name: string, at: number) {
  const resetsAt = window.resets_at ? window.resets_at * 1000 : undefined
  const minutes = window.window_minutes ?? undefined
  return percentReading({ used: window.used_percent, minutes, resetsAt, name, at })
}
