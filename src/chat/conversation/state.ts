import type { ChatMessage, RoomRef } from "../channels/channel.ts"

/** One message as a conversation stores it. */
export interface Line
  extends Pick<ChatMessage, "id" | "author" | "text" | "at" | "replyTo" | "isOurs" | "isVoice"> {
  /** Emoji that people put under it. */
  reactions: string[]
}

/** The kinds of runs, the highest priority first. A run of a higher priority stops one of a lower. */
export const runKinds = ["direct", "follow-up", "batch", "pending thought", "fresh thought"] as const
export type RunKind = (typeof runKinds)[number]
/** Runs that send a post of our own; no model is asked in the room for them. */
export type ThoughtRunKind = Extract<RunKind, "pending thought" | "fresh thought">
/** Runs that ask a model about a room. */
export type RoomRunKind = Exclude<RunKind, ThoughtRunKind>

/** The result of sending a post of our own. */
export type Delivery =
  | { outcome: "posted"; posts: readonly string[] }
  /** It may have been sent, and counts as sent. */
  | { outcome: "unknown"; reason: string }
  /** It was not sent, and may be sent later. */
  | { outcome: "kept back"; reason: string }
  /** It was not sent, and never will be. */
  | { outcome: "refused"; reason: string }

/** A message or reaction that is being sent. */
export interface PendingSend {
  /** The same key is never sent twice. */
  key: string
  action: "reply" | "react"
  /** The text, or the emoji. */
  text: string
  /** The message it replies or reacts to. */
  to: string | null
  reason: string
  /** Whether it is the reply that no answer can be given. */
  isRegret: boolean
  /** Whether the platform's rate limit delayed it once already. */
  hasWaited: boolean
  /** The id of its files. */
  attachment?: string | undefined
  /** Whether it may be sent again if the room does not have it: its process was restarted. */
  mayRepeat?: boolean
}

/** One run: a model is asked, and what it decides is sent. */
export interface RunState {
  id: string
  kind: RunKind
  /** It may post only while this is the conversation's epoch. */
  epoch: number
  /** Waiting for a slot; asking the model; sending; waiting to send again; checking whether it was sent. */
  phase: "waiting" | "thinking" | "sending" | "resending" | "checking"
  attempt: number
  startedAt: number
  deadline: number | null
  /** The messages to answer or to read, the oldest first. */
  messages: Line[]
  /** The ids of those that address us; the others are follow-ups. */
  direct?: string[]
  /** How many older messages were dropped because there were too many. */
  omitted: number
  /** Unaddressed messages before, for reference only. */
  background: Line[]
  /** The ids of its messages that failed once already. */
  kept: string[]
  outgoing: PendingSend | null
}

/** Messages that were skipped for one reason and are not in the journal yet. */
interface SkippedMessages {
  reason: string
  ids: string[]
  since: number
}

/** The state of a conversation. It is stored as JSON. */
export interface ConversationState {
  version: 1
  room: RoomRef
  mode: "off" | "ambient" | "active"
  isMuted: boolean
  hasLeft: boolean
  /** Grows with each mention and each run, so that older runs can post nothing more. */
  epoch: number
  /** Ids of the newest messages, the newest last. */
  seen: string[]
  /** Messages after this one may be missing and are still to be fetched. */
  gapAfter: string | null
  buffer: Line[]
  omitted: number
  /** The ids of buffered messages that failed once already. */
  kept: string[]
  /** When the buffered messages are read. */
  flushAt: number | null
  cooldownUntil: number
  /** Messages that wait for an answer while a run is under way. */
  waiting: { line: Line; kind: "direct" | "follow-up" }[]
  run: RunState | null
  runs: number
  /** Past messages, ours too, with the number of their run. */
  history: (Line & { run: number })[]
  historyAt: number
  /** The users we are talking with, since when, and how many messages of others came since. */
  active: { authors: string[]; since: number; others: number } | null
  /** A draft that was held. */
  held: { text: string; reason: string; at: number } | null
  aside: SkippedMessages[]
  /** Recent messages where we may start topics, ours too, without those of blocked users. */
  recent?: Line[] | undefined
  /** Posts of our own by their keys, and whether they were delivered. */
  own?: { key: string; delivery: Delivery }[] | undefined
  /** Authors who asked to be forgotten, and when: their earlier messages are not fetched again. */
  forgotten?: { author: string; at: number }[] | undefined
  regrettedAt: number | null
}

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

/** What a conversation is doing, for users. */
export type Phase = "off" | "idle" | "buffering" | "considering" | "live" | "replying"

export function phaseOf({ mode, run, buffer }: ConversationState): Phase {
  if (run) return run.kind === "direct" || run.kind === "follow-up" ? "replying" : "considering"
  if (mode === "off") return "off"
  if (mode === "active") return "live"
  return buffer.length > 0 ? "buffering" : "idle"
}

/** The key of a room in the database and the journal. */
export function roomKey({ platform, community, channel, thread }: RoomRef): string {
  return keyOf([platform, community, channel, ...(thread === null ? [] : [thread])])
}

/** The key of a community in the database and the journal. */
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

/** The earliest time at which something is due; null if nothing is. */
export function nextDeadline(state: ConversationState, settings: { activeMs: number }): number | null {
  const times = [
    state.run === null && state.waiting.length === 0 ? state.flushAt : null,
    state.run?.deadline ?? null,
    state.active && state.run === null ? state.active.since + settings.activeMs : null,
    ...state.aside.map(({ since }) => since + skippedJournalDelayMs),
  ].filter((time) => time !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/** Skipped messages are collected for this long, so that one journal entry covers several. */
export const skippedJournalDelayMs = 60_000
