import type { Command } from "../attention/command.ts"
import type { Author, ChatMessage, SendResult } from "../channels/channel.ts"
import type { Decision } from "../silence/decision.ts"
import type { ThoughtRunKind } from "./state.ts"

/** The result of asking a model. */
export type RunOutcome =
  | { outcome: "decided"; decision: Decision; usd?: number | undefined; debug?: RunDebug | undefined }
  /** `mayRetry`: whether asking again could help. */
  | { outcome: "failed"; reason: string; mayRetry: boolean }

/** The prompt and the model's answer, for the journal while `chat.ambient.debug` is on. */
export interface RunDebug {
  shown: string
  raw: string
}

/** A post of our own, which is sent at most once for its key. */
export interface OwnPost {
  run: ThoughtRunKind
  key: string
  text: string
  replyTo: string | null
  reason: string
  /** The id of its files. */
  attachment?: string | undefined
}

/** What can happen to a conversation. `chance` is a random number from 0 to 1. */
export type ConversationEvent = { at: number; chance: number } & (
  | { kind: "message"; message: ChatMessage }
  | { kind: "edited"; id: string; text: string }
  | { kind: "deleted"; ids: readonly string[] }
  | { kind: "reaction"; id: string; author: Author; emoji: string; added: boolean }
  | { kind: "deadline" }
  /** The run got its slot; its time limit counts from now. */
  | { kind: "run-started"; run: string }
  /** The run needs more time than a model usually gets: `ms` from now. */
  | { kind: "run-extended"; run: string; ms: number }
  | { kind: "run-ended"; run: string; result: RunOutcome }
  | { kind: "sent"; run: string; result: SendResult; wasHeldBack: boolean }
  /** The room's history, fetched to find out whether a message was sent; null if it is not available. */
  | { kind: "checked"; run: string; found: readonly ChatMessage[] | null }
  | { kind: "command"; command: Command; by: string }
  | ({ kind: "say" } & OwnPost)
  | { kind: "settings-changed" }
  | { kind: "context-forgotten"; reason: string }
  /** An author asked to have their messages forgotten. */
  | { kind: "author-forgotten"; author: string }
  /** The connection was lost: messages since the last one may be missing. */
  | { kind: "gap" }
  /** Missed messages, or a page of them; `isOpen`: more are to be fetched after it. */
  | { kind: "reconnected"; missed: readonly ChatMessage[]; isOpen?: boolean }
  /** The conversation continues from its stored state: the process was restarted, or handling an event failed. */
  | { kind: "restarted"; reason: string; isNewProcess?: boolean }
)
