import { basename, join } from "node:path"
import { z } from "zod"
import { findFiles } from "../reading/find-files.ts"
import { timestamp } from "../reading/json-line.ts"
import { lineMeter, type Meter, poolByProvider } from "./meter.ts"

const lineSchema = z.object({
  type: z.literal("message"),
  id: z.string(),
  timestamp,
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

/** pi writes the usage with each answer. */
export function piMeter(home: string): Meter {
  const files = (since: number) => findFiles(join(home, "sessions"), /\.jsonl$/, since)
  return lineMeter("pi", files, (line, file) => {
    const { data } = lineSchema.safeParse(line)
    if (data === undefined) return undefined
    const { usage, provider, model } = data.message
    const costUsd = usage.cost?.total ?? 0
    const session = basename(file, ".jsonl").replace(/^.*_/, "")
    return {
      id: `pi:${session}:${data.id}`,
      at: data.timestamp,
      pool: poolByProvider(provider, costUsd),
      model,
      input: usage.input + usage.cacheRead + usage.cacheWrite,
      cachedInput: usage.cacheRead,
      output: usage.output,
      costUsd: costUsd > 0 ? costUsd : null,
    }
  })
}
