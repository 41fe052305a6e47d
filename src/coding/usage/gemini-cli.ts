import { join } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { findFiles } from "../reading/find-files.ts"
import { type LineReader, type Meter, nothing, parseLine, userCall } from "./meter.ts"

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
  return {
    tool: "gemini-cli",
    files: (since) => findFiles(join(home, "tmp"), /^session-.*\.jsonl$/, since),
    reader: readGemini,
  }
}

function readGemini(): LineReader {
  return {
    state: () => ({}),
    line(text) {
      if (!text.includes('"tokens"')) return nothing
      const line = lineSchema.safeParse(parseLine(text))
      const at = line.success ? parseTime(line.data.timestamp) : undefined
      if (!line.success || at === undefined) return nothing
      const { tokens, model } = line.data
      const call = userCall({
        // The same answer written again has the same id.
        id: `gemini-cli:${line.data.id}`,
        at,
        pool: "other",
        way: "gemini-cli",
        model,
        input: tokens.input + tokens.tool,
        cachedInput: tokens.cached,
        output: tokens.output + tokens.thoughts,
        costUsd: null,
      })
      return { calls: [call], readings: [] }
    },
  }
}
