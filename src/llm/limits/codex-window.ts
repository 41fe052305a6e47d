import { z } from "zod"
import { percentReading } from "./read-headers.ts"

/** How full a window of a plan is, as Codex writes it into its sessions. */
export const codexWindow = z.object({
  used_percent: z.number(),
  window_minutes: z.number().nullish(),
  resets_at: z.number().nullish(),
})

/** The same as a reading of a limit. */
export function codexReading(window: z.output<typeof codexWindow>, name: string, at: number) {
  const resetsAt = window.resets_at ? window.resets_at * 1000 : undefined
  const minutes = window.window_minutes ?? undefined
  return percentReading({ used: window.used_percent, minutes, resetsAt, name, at })
}
