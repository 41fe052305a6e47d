import type { ConversationState, Delivery, RoomRunKind, RunState } from "./state.ts"

/** What to ask a model about in a room. */
export interface RunRequest
  extends Pick<RunState, "id" | "epoch" | "messages" | "omitted" | "background">,
    Pick<ConversationState, "room" | "history"> {
  kind: RoomRunKind
  /** A draft of ours that was held. */
  held: string | null
  /** Authors whose messages up to a time must not be shown. */
  forgotten: readonly { author: string; at: number }[]
}

/** A journal entry about a conversation. It never contains the text of messages. */
export interface ChatEntry {
  kind: ChatEntryKind
  reason: string
  data?: Record<string, unknown> | undefined
}

/** The kinds of journal entries about conversations, each with its label for users. */
export const chatEntryLabels = {
  "chat.asked": "A model was asked",
  "chat.aborted": "The model was stopped",
  "chat.failed": "The attempt failed",
  "chat.replied": "It answered",
  "chat.reacted": "It reacted",
  "chat.held": "It kept a text for later",
  "chat.silenced": "It stayed silent",
  "chat.refused": "The platform rejected it",
  "chat.unconfirmed": "It may have been sent",
  "chat.dropped": "It was skipped",
  "chat.promoted": "It began to pay attention",
  "chat.faded": "It stopped paying attention",
  "chat.muted": "It was muted",
  "chat.unmuted": "It was unmuted",
  "chat.left": "It left the thread",
  "chat.returned": "It came back to the thread",
  "chat.command-refused": "A command was refused",
  "chat.forgotten": "The conversation so far was forgotten",
  "chat.recovered": "It recovered",
  "chat.restarted": "The conversation was started again",
}

export type ChatEntryKind = keyof typeof chatEntryLabels

/** What the supervisor must do. Effects run in order, after the new state is stored. */
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
  /** Puts an emoji under a message; the result is not awaited. */
  | { kind: "acknowledge"; message: string; emoji: string }
  | { kind: "typing"; on: boolean }
  | { kind: "deadline"; at: number | null }
  | { kind: "fetch-history"; run: string }
  /** A post of our own was delivered, or not. */
  | { kind: "own-ended"; key: string; delivery: Delivery }
  | { kind: "journal"; entry: ChatEntry }
  | { kind: "persist" }
