import { basename, join } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import type { ModelCall } from "../../llm/ledger.ts"
import { codexReading, codexWindow } from "../../llm/limits/codex-window.ts"
import { findFiles } from "../reading/find-files.ts"
import { parseJsonLine } from "../reading/json-line.ts"
import { type LineReader, type Meter, noUsage, type Usage, userCall } from "./meter.ts"

const tokenCount = z.object({
  type: z.literal("token_count"),
  info: z
    .object({
      total_token_usage: z.object({ total_tokens: z.number() }),
      last_token_usage: z.object({
        input_tokens: z.number(),
        cached_input_tokens: z.number().default(0),
        output_tokens: z.number(),
      }),
    })
    .nullish(),
  rate_limits: z.object({ primary: codexWindow.nullish(), secondary: codexWindow.nullish() }).nullish(),
})

const lineSchema = z.object({ timestamp: z.string(), type: z.string(), payload: z.unknown() })

const stateSchema = z.object({
  session: z.string(),
  model: z.string(),
  isOurs: z.boolean(),
  hasPlan: z.boolean(),
})

/** Codex writes the usage of each request and the state of the plan's limits into every transcript. */
export function codexMeter(home: string, ownFolder: string): Meter {
  return {
    tool: "codex",
    files: (since) => findFiles(join(home, "sessions"), /^rollout-.*\.jsonl$/, since),
    reader: (file, state) => readCodex(file, state, ownFolder),
  }
}

function readCodex(file: string, earlier: unknown, ownFolder: string): LineReader {
  const known = stateSchema.safeParse(earlier)
  const state = known.success
    ? known.data
    : { session: basename(file, ".jsonl"), model: "unknown", isOurs: false, hasPlan: false }
  return {
    state: () => state,
    line(text) {
      const line = lineSchema.safeParse(parseJsonLine(text))
      if (!line.success) return noUsage
      const { type, payload, timestamp } = line.data
      if (type === "session_meta" || type === "turn_context") readMeta(state, payload, ownFolder)
      if (type !== "event_msg" || state.isOurs) return noUsage
      const at = parseTime(timestamp)
      const counted = tokenCount.safeParse(payload)
      return counted.success && at !== undefined ? usageOf(state, counted.data, at) : noUsage
    },
  }
}

type State = z.infer<typeof stateSchema>

const metaSchema = z.object({
  id: z.string().optional(),
  cwd: z.string().optional(),
  model: z.string().optional(),
})

function readMeta(state: State, payload: unknown, ownFolder: string): void {
  const meta = metaSchema.safeParse(payload)
  if (!meta.success) return
  state.session = meta.data.id ?? state.session
  state.model = meta.data.model ?? state.model
  // Our own calls through Codex are already in the ledger.
  if (meta.data.cwd?.startsWith(ownFolder)) state.isOurs = true
}

function usageOf(state: State, counted: z.infer<typeof tokenCount>, at: number): Usage {
  const { primary, secondary } = counted.rate_limits ?? {}
  if (primary || secondary) state.hasPlan = true
  const pool = state.hasPlan ? "openai-subscription" : "openai-key"
  const readings = [
    { name: "primary", limit: primary },
    { name: "secondary", limit: secondary },
  ].flatMap(({ name, limit }) => (limit ? [{ ...codexReading(limit, name, at), pool } as const] : []))
  return { calls: counted.info ? [toCall(state, counted.info, at)] : [], readings }
}

function toCall(state: State, info: NonNullable<z.infer<typeof tokenCount>["info"]>, at: number): ModelCall {
  const { input_tokens, cached_input_tokens, output_tokens } = info.last_token_usage
  return userCall("codex", {
    // The running total distinguishes a repeated count from a new one.
    id: `codex:${state.session}:${info.total_token_usage.total_tokens}`,
    at,
    pool: state.hasPlan ? "openai-subscription" : "openai-key",
    model: state.model,
    input: input_tokens,
    cachedInput: cached_input_tokens,
    output: output_tokens,
    costUsd: null,
  })
}
