import type { z } from "zod"
import { describeInvalidInput } from "../../base/text/invalid-input.ts"
import { shorten } from "../../base/text/text.ts"
import type { By } from "../../storage/journal.ts"
import type { MemoryWriteCore } from "./prepare.ts"

/** The result of an import. `unchanged` ones were imported before. */
export interface ImportSummary {
  saved: number
  reinforced: number
  superseded: number
  /** Saved, but in conflict with another memory. */
  conflicts: number
  /** The memory with this sourceId got a new text. */
  updated: number
  refused: number
  failed: number
  unchanged: number
  seconds: number
  /** The first few problems, each with its line. */
  problems: string[]
}

/** An import in progress. */
export interface ImportRun {
  needs: MemoryWriteCore
  by: By
  /** The folders of the request and of the file: their .env files apply to all of it. */
  from?: readonly string[]
  tally: ImportSummary
  onProgress(done: number): void
}

const problemsKept = 10

export function emptyTally(): ImportSummary {
  const written = { saved: 0, reinforced: 0, superseded: 0, conflicts: 0, updated: 0 }
  return { ...written, refused: 0, failed: 0, unchanged: 0, seconds: 0, problems: [] }
}

/** Counts a refused line. */
export function countRefused({ tally }: ImportRun, line: number, reason: string): void {
  tally.refused += 1
  note(tally, `line ${line} was refused: ${reason}`)
}

/** Counts an unusable line; returns the reason without secrets. */
export function countFailed({ needs, tally }: ImportRun, line: number | string, reason: string): string {
  const where = typeof line === "number" ? `line ${line}` : line
  const cleanReason = shorten(needs.screen.redactSync(reason), 160)
  tally.failed += 1
  note(tally, `${where} cannot be used: ${cleanReason}`)
  return cleanReason
}

/** Reports that a time in the future was ignored; the line is counted by its outcome. */
export function reportFutureTime({ tally }: ImportRun, line: number): void {
  note(tally, `line ${line} has a time in the future, which is ignored`)
}

/** The first problem that a schema found. */
export function firstIssue(error: z.ZodError, input: unknown): string {
  if (error.issues[0]?.path.length === 0) return 'it is no object such as { "content": "…" }'
  const message = describeInvalidInput(error, input)
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, "")
}

function note(tally: ImportSummary, problem: string): void {
  if (tally.problems.length < problemsKept) tally.problems.push(problem)
}
