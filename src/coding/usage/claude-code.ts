import { join } from "node:path"
import { z } from "zod"
import { findFiles } from "../reading/find-files.ts"
import { timestamp } from "../reading/json-line.ts"
import { lineMeter, type Meter } from "./meter.ts"

const lineSchema = z.object({
  type: z.literal("assistant"),
  timestamp,
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

/** Claude Code writes the usage of each request into its transcripts, once for every part of the answer. */
export function claudeCodeMeter(home: string, ownFolder: string): Meter {
  const files = (since: number) => findFiles(join(home, "projects"), /\.jsonl$/, since)
  return lineMeter("claude-code", files, (line) => {
    const { data } = lineSchema.safeParse(line)
    if (data === undefined || data.cwd?.startsWith(ownFolder)) return undefined
    const { message } = data
    if (message.model === "<synthetic>") return undefined
    const { usage } = message
    const cachedInput = usage.cache_read_input_tokens ?? 0
    return {
      id: `claude-code:${message.id}`,
      at: data.timestamp,
      pool: "anthropic-subscription",
      model: message.model,
      input: usage.input_tokens + cachedInput + (usage.cache_creation_input_tokens ?? 0),
      cachedInput,
      output: usage.output_tokens,
      costUsd: null,
    }
  })
}
