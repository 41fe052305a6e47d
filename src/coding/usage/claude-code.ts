import { join } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { findFiles } from "../reading/find-files.ts"
import { type LineReader, type Meter, nothing, parseLine } from "./meter.ts"

const lineSchema = z.object({
  type: z.literal("assistant"),
  timestamp: z.string(),
  cwd: z.string().optional(),
  message: z.object({
    id: z.string(),
    model: z.string(),
    usage: z.object({
      input_tokens: z.number().default(0),
      cache_creation_input_tokens: z.number().nullish(),
      cache_read_input_tokens: z.number().nullish(),
      output_tokens: z.number().default(0),
    }),
  }),
})

/** Claude Code writes what each request used into its transcripts, once for every part of the answer. */
export function claudeCodeMeter(home: string, ownFolder: string): Meter {
  return {
    tool: "claude-code",
    files: (since) => findFiles(join(home, "projects"), /\.jsonl$/, since),
    reader: () => readClaudeCode(ownFolder),
  }
}

function readClaudeCode(ownFolder: string): LineReader {
  return {
    state: () => ({}),
    line(text) {
      // Most lines are none of these; looking saves reading them.
      if (!text.includes('"usage"')) return nothing
      const line = lineSchema.safeParse(parseLine(text))
      if (!line.success) return nothing
      const { message, timestamp, cwd } = line.data
      const at = parseTime(timestamp)
      const isOurs = cwd?.startsWith(ownFolder) ?? false
      if (at === undefined || isOurs || message.model === "<synthetic>") return nothing
      const { usage } = message
      const cachedInput = usage.cache_read_input_tokens ?? 0
      const call = {
        id: `claude-code:${message.id}`,
        at,
        source: "user" as const,
        cycle: null,
        pool: "anthropic-subscription" as const,
        way: "claude-code",
        model: message.model,
        input: usage.input_tokens + cachedInput + (usage.cache_creation_input_tokens ?? 0),
        cachedInput,
        output: usage.output_tokens,
        costUsd: null,
        latencyMs: null,
        outcome: "answered" as const,
        reason: null,
      }
      return { calls: [call], readings: [] }
    },
  }
}
