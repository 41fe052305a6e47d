import type { ModelCall } from "../../llm/ledger.ts"
import type { LimitReading, Pool } from "../../llm/limits/limit-reading.ts"
import { holdsTooMuch, parseBounded } from "../reading/bounded-json.ts"

/** What one line of a transcript says about use. */
export interface Metered {
  calls: ModelCall[]
  readings: (LimitReading & { pool: Pool })[]
}

/** How the use of one tool is read from the files it writes. */
export interface Meter {
  /** The tool, as the ledger names it. */
  tool: string
  /** Files that may have changed since a moment. */
  files(since: number): Promise<string[]>
  /** Begins or goes on reading a file; `state` is what an earlier reading left. */
  reader(file: string, state: unknown): LineReader
}

/** How the use of a tool is read that keeps it in a database. */
export interface SweepMeter {
  tool: string
  /** What was used since a moment and where to go on; undefined where nothing can have changed. */
  sweep(position: number): Promise<{ found: Metered; position: number } | undefined>
  /** Names what is swept. */
  file: string
}

export type AnyMeter = Meter | SweepMeter

/** Whose allowance a call of the user's draws on, by the provider's name in a tool. */
export function poolByProvider(provider: string, costUsd: number): Pool {
  const pool = providerPools[provider] ?? "other"
  // Tools reckon no price for what a subscription pays.
  if (costUsd > 0) return pool
  return subscriptions[pool] ?? pool
}

const providerPools: Record<string, Pool> = {
  anthropic: "anthropic-key",
  openai: "openai-key",
  "openai-codex": "openai-subscription",
  openrouter: "openrouter-key",
  ollama: "local",
  lmstudio: "local",
  local: "local",
}
const subscriptions: { [pool in Pool]?: Pool } = {
  "anthropic-key": "anthropic-subscription",
  "openai-key": "openai-subscription",
}

/** What is told of a call that the user made with a tool of theirs. */
type UserCall = Omit<ModelCall, "source" | "cycle" | "latencyMs" | "outcome" | "reason">

/** A call the user made, for the ledger. */
export function userCall(call: UserCall): ModelCall {
  return { ...call, source: "user", cycle: null, latencyMs: null, outcome: "answered", reason: null }
}

/** A meter of lines that stand for themselves: each tells of one call, or of none. */
export function lineMeter(
  tool: string,
  files: Meter["files"],
  callIn: (line: unknown, file: string) => UserCall | undefined,
): Meter {
  return {
    tool,
    files,
    reader: (file) => ({
      state: () => ({}),
      line(text) {
        // Most lines say nothing of use; looking saves reading them.
        if (!/"(?:usage|tokens)"/.test(text)) return nothing
        const call = callIn(parseLine(text), file)
        return call === undefined ? nothing : { calls: [userCall(call)], readings: [] }
      },
    }),
  }
}

/** Reads a file line by line. */
export interface LineReader {
  line(text: string): Metered
  /** What has to be known to go on later; plain data. */
  state(): unknown
}

export const nothing: Metered = { calls: [], readings: [] }

/** A line, or a whole file, as JSON; undefined for what is none. Fails where it holds too much. */
export function parseLine(text: string): unknown {
  if (text.trim() === "") return undefined
  try {
    return parseBounded(text)
  } catch (error) {
    if (holdsTooMuch(error)) throw error
    return undefined
  }
}
