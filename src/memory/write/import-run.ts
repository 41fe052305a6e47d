import type { z } from "zod"
import { shorten } from "../../base/text/text.ts"
import { wrongInput } from "../../base/text/wrong-input.ts"
import type { By } from "../../storage/journal.ts"
import type { RememberNeeds } from "./prepare.ts"

/** How an import went. `unchanged` were there already, identity and all. */
export interface Imported {
  saved: number
  reinforced: number
  superseded: number
  /** Kept beside something that says otherwise. */
  conflicts: number
  /** The memory that the sourceId has says something else now. */
  updated: number
  refused: number
  failed: number
  unchanged: number
  seconds: number
  /** The first few things that went wrong, each with its line. */
  problems: string[]
}

/** What an import in progress needs to know and tell. */
export interface ImportRun {
  needs: RememberNeeds
  by: By
  /** The folders it is asked for in or the file lies in: their .env files hold for all of it. */
  from?: readonly string[]
  tally: Imported
  onProgress(done: number): void
}

const problemsKept = 10

/** Nothing counted yet. */
export function emptyTally(): Imported {
  const written = { saved: 0, reinforced: 0, superseded: 0, conflicts: 0, updated: 0 }
  return { ...written, refused: 0, failed: 0, unchanged: 0, seconds: 0, problems: [] }
}

/** Counts a line that may not be remembered. */
export function noteRefused({ tally }: ImportRun, line: number, reason: string): void {
  tally.refused += 1
  note(tally, `line ${line} was refused: ${reason}`)
}

/** Counts a line that cannot be used; gives the reason as it may be told. */
export function noteFailed({ needs, tally }: ImportRun, line: number | string, reason: string): string {
  const where = typeof line === "number" ? `line ${line}` : line
  const told = shorten(needs.screen.redactSync(reason), 160)
  tally.failed += 1
  note(tally, `${where} cannot be used: ${told}`)
  return told
}

/** Tells that a memory came without the time it named; it is counted by what became of it. */
export function noteTime({ tally }: ImportRun, line: number): void {
  note(tally, `line ${line} has a time that is yet to come; it counts as not known`)
}

/** The first thing a schema found wrong. */
export function firstIssue(error: z.ZodError, given: unknown): string {
  if (error.issues[0]?.path.length === 0) return 'it is no object such as { "content": "…" }'
  const said = wrongInput(error, given)
  return said.charAt(0).toLowerCase() + said.slice(1).replace(/\.$/, "")
}

function note(tally: Imported, problem: string): void {
  if (tally.problems.length < problemsKept) tally.problems.push(problem)
}
