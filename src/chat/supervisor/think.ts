import type { RunRequest } from "../conversation/effect.ts"
import type { RunDebug } from "../conversation/event.ts"
import type { Line } from "../conversation/state.ts"
import type { Decision } from "../silence/decision.ts"

/** What a model is asked about, with everything that is there to be known. */
export interface ThinkInput extends RunRequest {
  /** Messages before all others that the platform still knew, none of them twice. */
  earlier: readonly Line[]
  /** How to behave, as the operator wrote it; null for our own words. */
  instructions: string | null
  /** Whether the platform has reactions. */
  canReact: boolean
  /** Whether files may be sent in this room. */
  canAttach: boolean
  /** Asks for more time, in milliseconds from now, for something that takes longer than a model. */
  extend(ms: number): void
  /** Looks further back in the room, as far as the platform remembers; nobody who is blocked is in it. */
  lookBack(limit: number): Promise<Line[]>
}

/** What came of it. */
export type Thought =
  | { outcome: "decided"; decision: Decision; usd?: number | undefined; debug?: RunDebug | undefined }
  /** No model can be asked now, and asking again at once would not help. */
  | { outcome: "unavailable"; reason: string; usd?: number | undefined }
  /** It was asked, and nothing came of it; asking again may help. */
  | { outcome: "failed"; reason: string; usd?: number | undefined }

/**
 * The model side. It gives a decision and posts nothing itself; once the signal aborts nobody waits for it any more. What
 * it throws is a failure that may be tried again.
 */
export type Think = (input: ThinkInput, signal: AbortSignal) => Promise<Thought>
