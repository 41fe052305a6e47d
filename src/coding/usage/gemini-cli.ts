import { join } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { findFiles } from "../reading/find-files.ts"
import { lineMeter, type Meter } from "./meter.ts"

const lineSchema = z.object({
  id: z.string(),
  timestamp: z.string(),
  type: z.literal("gemini"),
  model: z.string(),
  tokens: z.object({
    input: z.number(),
    output: z.number(),
    cached: z.number().default(0),
    thoughts: z.number().default(0),
    tool: z.number().default(0),
  }),
})

/** Gemini CLI writes what each answer used beside it, and again whenever it writes the answer again. */
export function geminiMeter(home: string): Meter {
  const files = (since: number) => findFiles(join(home, "tmp"), /^session-.*\.jsonl$/, since)
  return lineMeter("gemini-cli", files, (given) => {
    const line = lineSchema.safeParse(given)
    const at = line.success ? parseTime(line.data.timestamp) : undefined
    if (!line.success || at === undefined) return undefined
    const { id, tokens, model } = line.data
    return {
      // The same answer written again has the same id.
      id: `gemini-cli:${id}`,
      at,
      pool: "other",
      way: "gemini-cli",
      model,
      input: tokens.input + tokens.tool,
      cachedInput: tokens.cached,
      output: tokens.output + tokens.thoughts,
      costUsd: null,
    }
  })
}
