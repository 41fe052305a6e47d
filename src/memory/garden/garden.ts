import type { By } from "../../storage/journal.ts"
import type { Changed } from "../act.ts"

/** What one operation of the garden did. */
export interface GardenDeed {
  /** Such as "duplicates merged" or "facts verified". */
  name: string
  /** The operation in the journal; undo takes it back. */
  operation: string
  /** What it changed, and how many of these memories are not found any more. */
  changed: number
  lost: number
  /** What it looked at. */
  looked: number
}

/** Something that rules leave open and a model may judge. */
export interface OpenQuestion {
  kind: "duplicate" | "contradiction" | "stale"
  /** The memories it is about. */
  memories: readonly { id: string; content: string }[]
  /** What the rules found, in one sentence. */
  note: string
}

/** What a pass of the garden came to. */
export interface GardenReport {
  deeds: readonly GardenDeed[]
  open: readonly OpenQuestion[]
  /** False where a cap or the signal ended it early; the next pass goes on from there. */
  isDone: boolean
  warnings: readonly string[]
}

/** How a pass is run. */
export interface GardenPass {
  /** A new operation for the journal at each call; those of one cycle begin alike, so that they are found again. */
  by(): By
  /** Changes in all; the rest waits for the next pass. */
  limit: number
  /** Memories that may go out of sight in all; reaching it ends the pass with a warning. */
  lossLimit: number
  signal: AbortSignal
  /** Told after every operation, before the next begins. */
  onDeed?(deed: GardenDeed): Promise<void>
}

/** A pass as one kind of work sees it. */
export interface Tending {
  signal: AbortSignal
  by(): By
  /** How many more memories may be changed, and how many of them taken out of sight. */
  room(): { changes: number; losses: number }
  /** Whether there is room for any change and nobody has called a halt. */
  mayGoOn(): boolean
  /** Says what was done, after it was committed; `count` where what changed were not memories. */
  done(
    name: string,
    changed: Pick<Changed, "operation" | "memories">,
    looked: number,
    count?: number,
  ): Promise<void>
  /** Leaves something to a model, or to the user. */
  ask(question: OpenQuestion): void
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
