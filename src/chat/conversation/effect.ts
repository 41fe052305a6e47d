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

/** Everything that the journal can tell about a conversation, and how people are told. */
export const chatDeeds = {
  "chat.asked": "A model was asked",
  "chat.aborted": "The model was stopped",
  "chat.failed": "Nothing came of it",
  "chat.replied": "It answered",
  "chat.reacted": "It reacted",
  "chat.held": "It kept a text for later",
  "chat.silenced": "It stayed silent",
  "chat.refused": "The platform did not take it",
  "chat.unconfirmed": "It may have been said",
  "chat.dropped": "It was not looked at",
  "chat.promoted": "It began to pay attention",
  "chat.faded": "It stopped paying attention",
  "chat.muted": "It was muted",
  "chat.unmuted": "It was unmuted",
  "chat.left": "It left the thread",
  "chat.returned": "It came back to the thread",
  "chat.command-refused": "A command was not obeyed",
  "chat.forgotten": "The conversation so far was forgotten",
  "chat.recovered": "It went on after a break",
  "chat.restarted": "The conversation was started again",
}

export type ChatEntryKind = keyof typeof chatDeeds

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
