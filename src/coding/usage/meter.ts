import type { ModelCall } from "../../llm/ledger.ts"
import type { LimitReading, Pool } from "../../llm/limits/limit-reading.ts"
import { parseJsonLine } from "../reading/json-line.ts"

/** The model calls and limits that a tool's files report. */
export interface Usage {
  calls: ModelCall[]
  readings: (LimitReading & { pool: Pool })[]
}

/** Reads the usage of a tool from the files that it writes. */
export interface Meter {
  /** The tool's name in the ledger. */
  tool: string
  /** Files that may have changed since a time. */
  files(since: number): Promise<string[]>
  /** Starts or continues reading a file; `state` is the state after the last line read before. */
  reader(file: string, state: unknown): LineReader
}

/** Reads the usage of a tool from the tool's database. */
export interface DatabaseMeter {
  tool: string
  /** The usage since a position and the next position; undefined if there is no database. */
  sweep(position: number): Promise<{ found: Usage; position: number } | undefined>
  /** The database's file. */
  file: string
}

export type AnyMeter = Meter | DatabaseMeter

/** The budget that a call of the user counts against, by the provider's name in the tool. */
export function poolByProvider(provider: string, costUsd: number): Pool {
  const pool = providerPools[provider] ?? "other"
  // Tools compute no price for calls that a subscription pays.
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

/** A call that the user made with a tool. */
type UserCall = Omit<ModelCall, "way" | "source" | "cycle" | "latencyMs" | "outcome" | "reason">

/** A call of the user as the ledger stores it. */
export function userCall(way: string, call: UserCall): ModelCall {
  return { ...call, way, source: "user", cycle: null, latencyMs: null, outcome: "answered", reason: null }
}

/** A meter for files in which each line reports at most one call, independently of the others. */
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
        // Most lines report no usage, and this test is much cheaper than parsing.
        if (!/"(?:usage|tokens)"/.test(text)) return noUsage
        const call = callIn(parseJsonLine(text), file)
        return call === undefined ? noUsage : { calls: [userCall(tool, call)], readings: [] }
      },
    }),
  }
}

/** Reads a file line by line. */
export interface LineReader {
  line(text: string): Usage
  /** The state to continue from later; plain data. */
  state(): unknown
}

export const noUsage: Usage = { calls: [], readings: [] }
