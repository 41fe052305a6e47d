import { join } from "node:path"
import { z } from "zod"
import { findFiles } from "../reading/find-files.ts"
import { timestamp } from "../reading/json-line.ts"
import { lineMeter, type Meter } from "./meter.ts"

const lineSchema = z.object({
  id: z.string(),
  timestamp,
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

/** Gemini CLI writes the usage with each answer, and again whenever it rewrites the answer. */
export function geminiMeter(home: string): Meter {
  const files = (since: number) => findFiles(join(home, "tmp"), /^session-.*\.jsonl$/, since)
  return lineMeter("gemini-cli", files, (line) => {
    const { data } = lineSchema.safeParse(line)
    if (data === undefined) return undefined
    const { id, tokens, model } = data
    return {
      // A rewritten answer has the same id.
      id: `gemini-cli:${id}`,
      at: data.timestamp,
      pool: "other",
      model,
      input: tokens.input + tokens.tool,
      cachedInput: tokens.cached,
      output: tokens.output + tokens.thoughts,
      costUsd: null,
    }
  })
}
