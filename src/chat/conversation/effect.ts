import type { RoomRef } from "../channels/channel.ts"
import type { AskedKind, Delivery, Line } from "./state.ts"

/** What to ask a model about. */
export interface RunRequest {
  id: string
  room: RoomRef
  kind: AskedKind
  epoch: number
  /** What is to be answered (direct, follow-up) or looked at (batch), the oldest first. */
  messages: readonly Line[]
  /** How many messages before these were dropped because there were too many. */
  omitted: number
  /** What was overheard before, for reference: not to be answered. */
  background: readonly Line[]
  /** The conversation so far, our own words too. */
  history: readonly Line[]
  /** A draft of ours that was held back. */
  held: string | null
  /** Whose words from before a moment are not to be shown any more. */
  forgotten: readonly { author: string; at: number }[]
}

/** What the journal is told. Words of people never stand in it. */
export interface ChatEntry {
  kind: ChatEntryKind
  reason: string
  data?: Record<string, unknown> | undefined
}

/** Everything that the journal can tell about a conversation. */
export type ChatEntryKind =
  | "chat.asked"
  | "chat.aborted"
  | "chat.failed"
  | "chat.replied"
  | "chat.reacted"
  | "chat.held"
  | "chat.silenced"
  | "chat.refused"
  | "chat.unconfirmed"
  | "chat.dropped"
  | "chat.promoted"
  | "chat.faded"
  | "chat.muted"
  | "chat.unmuted"
  | "chat.left"
  | "chat.returned"
  | "chat.command-refused"
  | "chat.forgotten"
  | "chat.recovered"
  | "chat.restarted"

/** What a conversation wants done. Each is done in its order, after the new state is stored. */
export type Effect =
  | { kind: "start-run"; run: RunRequest }
  | { kind: "abort-run"; run: string; reason: string }
  | {
      kind: "send"
      run: string
      epoch: number
      key: string
      text: string
      replyTo: string | null
      attachment?: string | undefined
    }
  | { kind: "react"; run: string; epoch: number; message: string; emoji: string }
  /** A sign that needs no answer and starts nothing. */
  | { kind: "acknowledge"; message: string; emoji: string }
  | { kind: "typing"; on: boolean }
  | { kind: "deadline"; at: number | null }
  | { kind: "fetch-history"; run: string }
  /** Something of our own was said, or not. */
  | { kind: "own-ended"; key: string; delivery: Delivery }
  | { kind: "journal"; entry: ChatEntry }
  | { kind: "persist" }
