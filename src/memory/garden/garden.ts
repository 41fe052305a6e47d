import type { By } from "../../storage/journal.ts"
import type { LossBudget } from "../model/agents/losses.ts"
import type { ChangeResult } from "../write/change/operation.ts"

/** One operation of a pass. */
export interface GardenChange {
  /** Such as "duplicates merged" or "facts checked". */
  name: string
  /** The operation in the journal; undo takes it back. */
  operation: string
  /** How many memories, links and tags it changed, and how many memories are not found any more. */
  changed: number
  lost: number
  /** How many memories it checked. */
  looked: number
  /** Describes what it changed. */
  words: string[]
}

/** A question that the rules leave open, for a model. */
export interface OpenQuestion {
  kind: "duplicate" | "contradiction" | "stale"
  memories: readonly { id: string; content: string }[]
  /** What the rules found, in one sentence. */
  note: string
}

/** A query that memory could not answer. */
export interface GardenGap {
  project: string | null
  question: string
  times: number
}

/** The result of a pass. */
export interface GardenReport {
  deeds: readonly GardenChange[]
  open: readonly OpenQuestion[]
  gaps: readonly GardenGap[]
  /** False if a cap or the signal ended it early; the next pass continues there. */
  isDone: boolean
  warnings: readonly string[]
}

/** How many kinds of work are done, of how many, and which one is running. */
export interface GardenProgress {
  done: number
  of: number
  work: string
}

export interface GardenOptions {
  /** Returns a new operation at each call; the ids of one cycle have a common prefix. */
  by(): By
  /** At most this many changes; the rest waits for the next pass. */
  limit: number
  /** How many memories may be hidden; reaching the limit adds a warning. */
  losses: LossBudget
  /** Projects whose configuration excludes them from the garden. */
  excluded?: ReadonlySet<string> | undefined
  signal: AbortSignal
  /** The cycle that runs the pass, if one does. */
  cycle?: string | undefined
  /** Called before each kind of work. */
  onWork?(progress: GardenProgress): Promise<void>
  /** Called after every operation, before the next begins. */
  onChange?(change: GardenChange): Promise<void>
}

interface ReportedChange extends Pick<ChangeResult, "operation" | "memories"> {
  /** Changed links and tags. */
  others?: number
  /** Describes the change; by default from the memories. */
  words?: string[]
}

/** The running pass, as a kind of work sees it. */
export interface GardenPass {
  signal: AbortSignal
  cycle: string | undefined
  excluded: ReadonlySet<string>
  by(): By
  /** How many more memories may be changed, and how many of those hidden. */
  remaining(): { changes: number; losses: number }
  /** Whether another change is allowed and the signal has not aborted. */
  canContinue(): boolean
  /** Call it after each committed operation. `checked` is how many memories it checked. */
  report(name: string, changed: ReportedChange, checked: number): Promise<void>
  /** Leaves a question to a model or the user. */
  ask(question: OpenQuestion): void
  reportGap(gap: GardenGap): void
  /** The pass ends without this kind of work being complete. */
  markUnfinished(): void
  warn(text: string): void
}

/**
 * One kind of work in the garden. It is idempotent, saves its own mark, stops when the pass cannot continue, and changes
 * memories only in small committed operations.
 */
export interface GardenWork {
  name: string
  run(pass: GardenPass): Promise<void>
}
