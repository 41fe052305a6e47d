import type { MemorySource, MemoryType } from "../../../model/kinds.ts"

/** One sentence of the user's, as the rules see it. */
export interface Reading {
  /** Without lead-in and trail. */
  text: string
  end: string
  /** What the sentence before it in the same message was, as it stood. */
  before: string | undefined
  /** What the agent said last, if the message answers it. */
  answered: string | undefined
  /** The message is a task, and this is not its first sentence. */
  inTask: boolean
}

/** What a rule makes of a sentence. */
export interface Draft {
  content: string
  type: MemoryType
  source?: MemorySource
  confidence?: number
  steps?: string[]
  triggers?: string[]
  /** It is in another's words: it waits for a second source. */
  quarantined?: boolean
  /** It holds although it stands in the description of a task. */
  strong?: boolean
}

/** A rule reads a sentence and mostly says nothing. */
export type Rule = (reading: Reading) => Draft | undefined
