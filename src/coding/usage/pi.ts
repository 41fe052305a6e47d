import { basename, join } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { findFiles } from "../reading/find-files.ts"
import { lineMeter, type Meter, poolByProvider } from "./meter.ts"

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
  const files = (since: number) => findFiles(join(home, "sessions"), /\.jsonl$/, since)
  return lineMeter("pi", files, (given, file) => {
    const line = lineSchema.safeParse(given)
    const at = line.success ? parseTime(line.data.timestamp) : undefined
    if (!line.success || at === undefined) return undefined
    const { usage, provider, model } = line.data.message
    const costUsd = usage.cost?.total ?? 0
    const session = basename(file, ".jsonl").replace(/^.*_/, "")
    return {
      id: `pi:${session}:${line.data.id}`,
      at,
      pool: poolByProvider(provider, costUsd),
      way: "pi",
      model,
      input: usage.input + usage.cacheRead + usage.cacheWrite,
      cachedInput: usage.cacheRead,
      output: usage.output,
      costUsd: costUsd > 0 ? costUsd : null,
    }
  })
}
