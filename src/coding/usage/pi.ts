import { basename, join } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { findFiles } from "../reading/find-files.ts"
import { type LineReader, type Meter, nothing, parseLine, poolByProvider, userCall } from "./meter.ts"

const lineSchema = z.object({
  type: z.literal("message"),
  id: z.string(),
  timestamp: z.string(),
  message: z.object({
    role: z.literal("assistant"),
    provider: z.string(),
    model: z.string(),
    usage: z.object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().default(0),
      cacheWrite: z.number().default(0),
      cost: z.object({ total: z.number() }).nullish(),
    }),
  }),
})

/** pi writes what each answer used beside it. */
export function piMeter(home: string): Meter {
  return {
    tool: "pi",
    files: (since) => findFiles(join(home, "sessions"), /\.jsonl$/, since),
    reader: (file) => readPi(basename(file, ".jsonl").replace(/^.*_/, "")),
  }
}

function readPi(session: string): LineReader {
  return {
    state: () => ({}),
    line(text) {
      if (!text.includes('"usage"')) return nothing
      const line = lineSchema.safeParse(parseLine(text))
      const at = line.success ? parseTime(line.data.timestamp) : undefined
      if (!line.success || at === undefined) return nothing
      const { usage, provider, model } = line.data.message
      const costUsd = usage.cost?.total ?? 0
      const call = userCall({
        id: `pi:${session}:${line.data.id}`,
        at,
        pool: poolByProvider(provider, costUsd),
        way: "pi",
        model,
        input: usage.input + usage.cacheRead + usage.cacheWrite,
        cachedInput: usage.cacheRead,
        output: usage.output,
        costUsd: costUsd > 0 ? costUsd : null,
      })
      return { calls: [call], readings: [] }
    },
  }
}
