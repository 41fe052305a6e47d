import type { Command } from "../attention/command.ts"
import type { Author, ChatMessage, Sent } from "../channels/channel.ts"
import type { Decision } from "../silence/decision.ts"
import type { OwnKind } from "./state.ts"

/** What came of asking a model. */
export type RunOutcome =
  | { outcome: "decided"; decision: Decision; usd?: number | undefined; debug?: RunDebug | undefined }
  /** `mayRetry`: whether asking again could help. */
  | { outcome: "failed"; reason: string; mayRetry: boolean }
  | { outcome: "timed out" }
  | { outcome: "aborted"; reason: string }

/** What the model was shown and what it answered, for the journal while `debug` is on. */
export interface RunDebug {
  shown: string
  raw: string
}

/** Something of our own that is to be said, once for its key. */
export interface OwnWords {
  run: OwnKind
  key: string
  text: string
  replyTo: string | null
  reason: string
  /** The name of what was made to go along with it. */
  attachment?: string | undefined
}

/** What can happen to a conversation. `chance` is a random number from 0 to 1. */
export type ConversationEvent = { at: number; chance: number } & (
  | { kind: "message"; message: ChatMessage }
  | { kind: "edited"; id: string; text: string }
  | { kind: "deleted"; ids: readonly string[] }
  | { kind: "reaction"; id: string; author: Author; emoji: string; added: boolean }
  | { kind: "deadline" }
  /** The run got its slot, and its time counts from now. */
  | { kind: "run-started"; run: string }
  /** What it does takes longer than a model may, for a reason: it has so many milliseconds from now on. */
  | { kind: "run-extended"; run: string; ms: number }
  | { kind: "run-ended"; run: string; result: RunOutcome }
  | { kind: "sent"; run: string; result: Sent; wasHeldBack: boolean }
  /** History that was asked for to find something of which nobody knows whether it was sent; null if there is none. */
  | { kind: "checked"; run: string; found: readonly ChatMessage[] | null }
  | { kind: "command"; command: Command; by: string }
  | ({ kind: "say" } & OwnWords)
  | { kind: "settings-changed" }
  | { kind: "context-forgotten"; reason: string }
  /** Somebody wants what they said forgotten. */
  | { kind: "author-forgotten"; author: string }
  /** There was a cut: what came since the last message may have been missed. */
  | { kind: "gap" }
  /** What was missed is here, or a part of it; `isOpen`: there is more to be fetched after it. */
  | { kind: "reconnected"; missed: readonly ChatMessage[]; isOpen?: boolean }
  /** It goes on from its stored state: the process was started anew, or the conversation had failed. */
  | { kind: "restarted"; reason: string; isNewProcess?: boolean }
)
