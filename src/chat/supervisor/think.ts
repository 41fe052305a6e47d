import type { RunRequest } from "../conversation/effect.ts"
import type { RunDebug } from "../conversation/event.ts"
import type { Line } from "../conversation/state.ts"
import type { Decision } from "../silence/decision.ts"

/** What a model is asked about, with its context. */
export interface ThinkInput extends RunRequest {
  /** Messages from the platform's history before all others. */
  earlier: readonly Line[]
  /** The operator's instructions; null for the built-in ones. */
  instructions: string | null
  canReact: boolean
  canAttach: boolean
  /** Extends the time limit to this many milliseconds from now. */
  extend(ms: number): void
  /** Reads older messages of the room, without those of blocked users. */
  lookBack(limit: number): Promise<Line[]>
}

export type ThinkResult =
  | { outcome: "decided"; decision: Decision; usd?: number | undefined; debug?: RunDebug | undefined }
  /** No model can be asked now, and a retry would not help. */
  | { outcome: "unavailable"; reason: string; usd?: number | undefined }
  /** The model failed; a retry may help. */
  | { outcome: "failed"; reason: string; usd?: number | undefined }

/**
 * Asks a model for a decision and posts nothing itself. After the signal aborts, its result is ignored. An error that it
 * throws is a failure that may be retried.
 */
export type Think = (input: ThinkInput, signal: AbortSignal) => Promise<ThinkResult>
