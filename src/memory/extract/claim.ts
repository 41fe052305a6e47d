import type { MemorySource, MemoryType } from "../model/kinds.ts"

/** A sentence from a session that may be worth remembering and is understood alone. */
export interface Claim {
  content: string
  type: MemoryType
  source: MemorySource
  confidence: number
  /** The first and the last turn that it is based on. */
  from: number
  to: number
  /** How it was found, such as "rule preference" or "model". */
  reason: string
  steps?: readonly string[]
  triggers?: readonly string[]
  /** It waits for a second source. */
  quarantined?: boolean
  /** Proposed by the trained model from the user's own words: a repetition in another session confirms it. */
  isOwnWords?: boolean
  /** The open question that it answers. */
  gap?: string
}
