import type { By } from "../../storage/journal.ts"
import type { Losses } from "../model/agents/losses.ts"
import type { Changed } from "../write/change/operation.ts"

/** What one operation of the garden did. */
export interface GardenDeed {
  /** Such as "duplicates merged" or "facts checked". */
  name: string
  /** The operation in the journal; undo takes it back. */
  operation: string
  /** How many memories, links and tags it changed, and how many memories are not found any more. */
  changed: number
  lost: number
  /** What it looked at. */
  looked: number
  /** What it changed, in words. */
  words: string[]
}

/** Something that rules leave open and a model may judge. */
export interface OpenQuestion {
  kind: "duplicate" | "contradiction" | "stale"
  /** The memories it is about. */
  memories: readonly { id: string; content: string }[]
  /** What the rules found, in one sentence. */
  note: string
}

/** What was asked for and memory did not know. */
export interface GardenGap {
  project: string | null
  question: string
  times: number
}

/** What a pass of the garden came to. */
export interface GardenReport {
  deeds: readonly GardenDeed[]
  open: readonly OpenQuestion[]
  /** What is asked most often in vain. */
  gaps: readonly GardenGap[]
  /** False where a cap or the signal ended it early; the next pass goes on from there. */
  isDone: boolean
  warnings: readonly string[]
}

/** How far a pass is: how many kinds of work are done, of how many, and which one is going on. */
export interface GardenProgress {
  done: number
  of: number
  work: string
}

/** How a pass is run. */
export interface GardenPass {
  /** A new operation for the journal at each call; those of one cycle begin alike, so that they are found again. */
  by(): By
  /** Changes in all; the rest waits for the next pass. */
  limit: number
  /** Memories that may go out of sight in all; reaching the limit ends the pass with a warning. */
  losses: Losses
  /** Projects whose own configuration keeps the garden out. */
  excluded?: ReadonlySet<string> | undefined
  signal: AbortSignal
  /** The cycle that tends, where one does. */
  cycle?: string | undefined
  /** Told before each kind of work: how many are done, of how many, and which one begins. */
  onWork?(progress: GardenProgress): Promise<void>
  /** Told after every operation, before the next begins. */
  onDeed?(deed: GardenDeed): Promise<void>
}

/** What an operation changed. */
interface Done extends Pick<Changed, "operation" | "memories"> {
  /** Changes that are none of memories. */
  others?: number
  /** What it changed, in words; from the memories without it. */
  words?: string[]
}

/** A pass as one kind of work sees it. */
export interface Tending {
  signal: AbortSignal
  cycle: string | undefined
  excluded: ReadonlySet<string>
  by(): By
  /** How many more memories may be changed, and how many of them taken out of sight. */
  room(): { changes: number; losses: number }
  /** Whether there is room for any change and nobody has called a halt. */
  mayGoOn(): boolean
  /** Says what was done, after it was committed. Links and tags that changed count like memories. */
  done(name: string, changed: Done, looked: number): Promise<void>
  /** Leaves something to a model, or to the user. */
  ask(question: OpenQuestion): void
  /** Tells of what memory lacks. */
  miss(gap: GardenGap): void
  /** Says that this kind of work has not come to its end in this pass. */
  leaveRest(): void
  warn(text: string): void
}

/**
 * One kind of work in the garden. It is idempotent, keeps its own mark of how far it is, stops when the pass has no room
 * or its signal aborts, and changes memories only in small committed operations.
 */
export interface GardenWork {
  name: string
  run(tending: Tending): Promise<void>
}
