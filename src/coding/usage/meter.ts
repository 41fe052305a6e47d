import type { ModelCall } from "../../llm/ledger.ts"
import type { LimitReading, Pool } from "../../llm/limit-reading.ts"

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

/** Reads a file line by line. */
export interface LineReader {
  line(text: string): Metered
  /** What has to be known to go on later; plain data. */
  state(): unknown
}

export const nothing: Metered = { calls: [], readings: [] }

/** A line as JSON; undefined for what is none. */
export function parseLine(text: string): unknown {
  if (text.trim() === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
