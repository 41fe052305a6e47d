import type { z } from "zod"
import { shorten } from "../base/text.ts"
import type { By } from "../storage/journal.ts"
import type { RememberNeeds } from "./prepare.ts"

/** How an import went. `unchanged` were there already, identity and all. */
export interface Imported {
  saved: number
  reinforced: number
  superseded: number
  /** Kept beside something that says otherwise. */
  conflicts: number
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
  tally: Imported
  onProgress(done: number): void
}

const problemsKept = 10

/** Nothing counted yet. */
export function emptyTally(): Imported {
  const written = { saved: 0, reinforced: 0, superseded: 0, conflicts: 0 }
  return { ...written, refused: 0, failed: 0, unchanged: 0, seconds: 0, problems: [] }
}

/** Counts a line that may not be remembered. */
export function noteRefused({ tally }: ImportRun, line: number, reason: string): void {
  tally.refused += 1
  note(tally, `line ${line} was refused: ${reason}`)
}

/** Counts a line that cannot be used. */
export function noteFailed({ needs, tally }: ImportRun, line: number | string, reason: string): void {
  const place = typeof line === "number" ? `line ${line}` : line
  tally.failed += 1
  note(tally, `${place} cannot be used: ${shorten(needs.screen.redactSync(reason), 160)}`)
}

/** Tells that a memory came without the time it named; it is counted by what became of it. */
export function noteTime({ tally }: ImportRun, line: number): void {
  note(tally, `line ${line} has a time that is yet to come; it counts as not known`)
}

/** What a schema first found wrong, in words for whoever wrote it. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return "it is not a memory"
  const name = issue.path.join(".")
  if (name === "") return 'it is no object such as { "content": "…" }'
  // A time that cannot be read is undefined, too.
  const isMissing = issue.code === "invalid_type" && issue.message.endsWith("received undefined")
  return isMissing ? `it has no ${name}, or none that can be read` : `its ${name} ${wrong(issue)}`
}

/** What is wrong with a value. */
function wrong(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kindOf[issue.expected] ?? `of the kind ${issue.expected}`}`
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`
    case "too_big":
      return `is too ${issue.origin === "string" || issue.origin === "array" ? "long" : "large"} (at most ${issue.maximum})`
    case "too_small":
      return issue.origin === "string" ? "is empty" : `must be at least ${issue.minimum}`
    case "invalid_union":
      return "cannot be understood"
    case "custom":
      return issue.message
    default:
      return "is not of the right form"
  }
}

const kindOf: Record<string, string> = {
  string: "a text",
  array: "a list",
  object: "an object",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  date: "a time",
}

function note(tally: Imported, problem: string): void {
  if (tally.problems.length < problemsKept) tally.problems.push(problem)
}
