import type { MemorySource, MemoryType } from "../model/kinds.ts"

/** Something that a session seems to say and that may be worth remembering: a sentence that stands alone. */
export interface Claim {
  content: string
  type: MemoryType
  source: MemorySource
  confidence: number
  /** The turns it rests on, first and last. */
  from: number
  to: number
  /** How it was found, such as "rule preference" or "model". */
  reason: string
  steps?: readonly string[]
  /** What brings it up by itself. */
  triggers?: readonly string[]
  /** It is only supposed, and waits for a second source. */
  quarantined?: boolean
  /** Supposed by the trained model from the person's own words: saying it again in another session bears it out. */
  isOwnWords?: boolean
  /** The open question that it answers. */
  gap?: string
}
