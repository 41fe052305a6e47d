import { existsSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { readThirdPartySqlite } from "../../storage/sqlite/third-party.ts"
import { parseJsonLine } from "../reading/json-line.ts"
import { type DatabaseMeter, poolByProvider, userCall } from "./meter.ts"

const rowSchema = z.object({ id: z.string(), time_updated: z.number(), data: z.string() })
const messageSchema = z.object({
  role: z.literal("assistant"),
  time: z.object({ created: z.number(), completed: z.number() }),
  providerID: z.string(),
  modelID: z.string(),
  cost: z.number().default(0),
  tokens: z.object({
    input: z.number(),
    output: z.number(),
    reasoning: z.number().default(0),
    cache: z.object({ read: z.number().default(0), write: z.number().default(0) }).prefault({}),
  }),
})

const mostMessages = 5000

/** opencode stores the usage with each message, also of subagents. The position is a time. */
export function opencodeMeter(folder: string): DatabaseMeter {
  const file = join(folder, "opencode.db")
  return {
    tool: "opencode",
    file,
    async sweep(position) {
      if (!existsSync(file)) return undefined
      const found = await readThirdPartySqlite(file, (db) =>
        db
          .prepare(
            "select id, time_updated, data from message where time_updated > ? order by time_updated limit ?",
          )
          .all(position, mostMessages),
      )
      const rows = z.array(rowSchema).parse(found)
      // An unfinished message is read again later, because finishing it updates its time.
      const calls = rows.flatMap(({ id, data }) => callOf(id, data))
      return { found: { calls, readings: [] }, position: rows.at(-1)?.time_updated ?? position }
    },
  }
}

function callOf(id: string, data: string) {
  const message = messageSchema.safeParse(parseJsonLine(data))
  if (!message.success) return []
  const { time, providerID, modelID, cost, tokens } = message.data
  return [
    userCall("opencode", {
      id: `opencode:${id}`,
      at: time.created,
      pool: poolByProvider(providerID, cost),
      model: modelID,
      input: tokens.input + tokens.cache.read + tokens.cache.write,
      cachedInput: tokens.cache.read,
      output: tokens.output + tokens.reasoning,
      costUsd: cost > 0 ? cost : null,
    }),
  ]
}
