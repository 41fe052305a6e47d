import { existsSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { openForeignSqlite } from "../../storage/sqlite/read-foreign.ts"
import { parseLine, poolByProvider, type SweepMeter, userCall } from "./meter.ts"

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

const most = 5000

/** opencode keeps what each answer used with the message, subagents' too. The position is a time. */
export function opencodeMeter(folder: string): SweepMeter {
  const file = join(folder, "opencode.db")
  return {
    tool: "opencode",
    file,
    async sweep(position) {
      if (!existsSync(file)) return undefined
      const found = await openForeignSqlite(file, (db) =>
        db
          .prepare(
            "select id, time_updated, data from message where time_updated > ? order by time_updated limit ?",
          )
          .all(position, most),
      )
      const rows = z.array(rowSchema).parse(found)
      // A message that is not whole yet is seen again when it is: finishing it is a change.
      const calls = rows.flatMap(({ id, data }) => callOf(id, data))
      return { found: { calls, readings: [] }, position: rows.at(-1)?.time_updated ?? position }
    },
  }
}

function callOf(id: string, data: string) {
  const message = messageSchema.safeParse(parseLine(data))
  if (!message.success) return []
  const { time, providerID, modelID, cost, tokens } = message.data
  return [
    userCall({
      id: `opencode:${id}`,
      at: time.created,
      pool: poolByProvider(providerID, cost),
      way: "opencode",
      model: modelID,
      input: tokens.input + tokens.cache.read + tokens.cache.write,
      cachedInput: tokens.cache.read,
      output: tokens.output + tokens.reasoning,
      costUsd: cost > 0 ? cost : null,
    }),
  ]
}
