import type { Author, ChatMessage, RoomRef } from "../channels/channel.ts"

/** One message as a conversation keeps it. */
export interface Line {
  id: string
  author: Author
  text: string
  at: number
  replyTo: { id: string; isOurs: boolean } | null
  isOurs: boolean
  isVoice: boolean
  /** Emoji that people put under it. */
  reactions: string[]
}

/** Why a model is asked, the most pressing first. A more pressing one stops a less pressing one. */
export const runKinds = ["direct", "follow-up", "batch", "pending thought", "fresh thought"] as const
export type RunKind = (typeof runKinds)[number]
/** Something of our own that is said, and that nobody asked for. No model is asked in the room for it. */
export type OwnKind = Extract<RunKind, "pending thought" | "fresh thought">
/** What a model is asked for in a room. */
export type AskedKind = Exclude<RunKind, OwnKind>

/** What came of saying something of our own. */
export type Delivery =
  | { outcome: "posted"; posts: readonly string[] }
  /** Nobody knows whether it left: it counts as said. */
  | { outcome: "unknown"; reason: string }
  /** It certainly did not leave, and may be said later. */
  | { outcome: "kept back"; reason: string }
  /** It certainly did not leave, and never will. */
  | { outcome: "refused"; reason: string }

/** Something on its way out. */
export interface Outgoing {
  /** The same key is never said twice. */
  key: string
  action: "reply" | "react"
  /** The text, or the emoji. */
  text: string
  /** The message it is said to. */
  to: string | null
  reason: string
  /** Whether it only tells that no answer can be given. */
  isRegret: boolean
  /** Whether the platform asked us to wait once already. */
  hasWaited: boolean
  /** Files that go with it, by the name they are found by. */
  attachment?: string | undefined
  /** Whether it may be said again where the room shows that it never arrived: who sent it is gone. */
  mayRepeat?: boolean
}

/** One time that a model is asked, from the wish to the end of what it says. */
export interface RunState {
  id: string
  kind: RunKind
  /** What it may post is only posted while the conversation's epoch is this one. */
  epoch: number
  /** Waiting for a slot; thinking; its words are leaving, wait to be sent again, or are looked for. */
  phase: "waiting" | "thinking" | "sending" | "resending" | "checking"
  attempt: number
  startedAt: number
  deadline: number | null
  /** What is to be answered or looked at. */
  messages: Line[]
  /** Those of them that address us, where others go along. */
  direct?: string[]
  omitted: number
  /** What was overheard before. */
  background: Line[]
  /** Those of its messages that a failed run had before. */
  kept: string[]
  outgoing: Outgoing | null
}

/** Messages that are put aside unread for one reason, until the journal is told. */
interface Aside {
  reason: string
  ids: string[]
  since: number
}

/** Everything a conversation knows: plain JSON, so that it survives a restart. */
export interface ConversationState {
  version: 1
  room: RoomRef
  mode: "off" | "ambient" | "active"
  isMuted: boolean
  hasLeft: boolean
  /** Grows with each mention and each run; it replaces flags that say "no longer". */
  epoch: number
  /** Ids of the newest messages, the newest last. */
  seen: string[]
  /** What came after this message may have been missed, and is still to be fetched. */
  gapAfter: string | null
  buffer: Line[]
  omitted: number
  /** Those of the buffered messages that a failed run had before. */
  kept: string[]
  /** When the buffered messages are looked at. */
  flushAt: number | null
  cooldownUntil: number
  /** Messages that wait for an answer while a run is under way. */
  waiting: { line: Line; kind: "direct" | "follow-up" }[]
  run: RunState | null
  runs: number
  /** What was said, ours too, with the number of the run that it went into. */
  history: (Line & { run: number })[]
  historyAt: number
  /** Whom we talk with, since when, and how many messages of others came since. */
  active: { authors: string[]; since: number; others: number } | null
  /** A draft that was held back. */
  held: { text: string; reason: string; at: number } | null
  aside: Aside[]
  /** What was said lately where we may begin subjects, ours too; nobody who is blocked is in it. */
  recent?: Line[] | undefined
  /** Things of our own that were to be said here, by their keys, and what came of them. */
  own?: { key: string; delivery: Delivery }[] | undefined
  /** Who wanted what they said forgotten, and when: nothing of theirs from before is fetched again. */
  forgotten?: { author: string; at: number }[] | undefined
  regrettedAt: number | null
}

/** A conversation that knows nothing yet. */
export function newConversation(room: RoomRef): ConversationState {
  return {
    version: 1,
    room,
    mode: "off",
    isMuted: false,
    hasLeft: false,
    epoch: 0,
    seen: [],
    gapAfter: null,
    buffer: [],
    omitted: 0,
    kept: [],
    flushAt: null,
    cooldownUntil: 0,
    waiting: [],
    run: null,
    runs: 0,
    history: [],
    historyAt: 0,
    active: null,
    held: null,
    aside: [],
    regrettedAt: null,
  }
}

/** What a conversation is doing, in a word for people. */
export type Phase = "off" | "idle" | "buffering" | "considering" | "live" | "replying"

export function phaseOf({ mode, run, buffer }: ConversationState): Phase {
  if (run) return run.kind === "direct" || run.kind === "follow-up" ? "replying" : "considering"
  if (mode === "off") return "off"
  if (mode === "active") return "live"
  return buffer.length > 0 ? "buffering" : "idle"
}

/** A room's name wherever rooms are stored or told apart. */
export function roomKey({ platform, community, channel, thread }: RoomRef): string {
  return keyOf([platform, community, channel, ...(thread === null ? [] : [thread])])
}

/** A community's name wherever something is counted for it or posted in it. */
export function communityKey({ platform, community }: Pick<RoomRef, "platform" | "community">): string {
  return keyOf([platform, community])
}

function keyOf(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll(/[%/]/g, (one) => (one === "%" ? "%25" : "%2F"))).join("/")
}

export function lineOf(message: ChatMessage): Line {
  const { id, author, text, at, replyTo, isOurs, isVoice } = message
  return { id, author, text, at, replyTo, isOurs, isVoice, reactions: [] }
}

/** What happens if nothing else does: the earliest of everything it waits for. */
export function nextDeadline(state: ConversationState, settings: { activeMs: number }): number | null {
  const times = [
    state.run === null && state.waiting.length === 0 ? state.flushAt : null,
    state.run?.deadline ?? null,
    state.active && state.run === null ? state.active.since + settings.activeMs : null,
    ...state.aside.map(({ since }) => since + asideMs),
  ].filter((time) => time !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/** How long the journal may wait to be told of messages that were put aside. */
export const asideMs = 60_000
