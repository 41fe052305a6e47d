import type { RoomRef } from "../channels/channel.ts"
import type { Waiting } from "./eagerness.ts"
import type { Thought } from "./thought.ts"

export type CommunityRef = Pick<RoomRef, "platform" | "community">

/** Why nothing is considered now, and which gate refused. */
export interface Refusal {
  gate: Gate
  reason: string
}

/** The gates in the order in which they are checked; the first that refuses is reported. */
export type Gate =
  | "enabled"
  | "channels"
  | "max posts per day"
  | "under way"
  | "quiet hours"
  | "back-off"
  | "conversation"
  | "held thought"
  | "min minutes between posts"
  | "eagerness"
  | "budget"

/** The state of a community's thoughts. It is stored as JSON. */
export interface CommunityState extends CommunityRef {
  version: 1
  thought: Thought | null
  /** The model run under way; null if there is none. */
  underWay: { id: string; kind: "fresh" | "revisit"; since: number; before: number | null } | null
  /** The times of its own posts within the last 24 hours. */
  posts: number[]
  postedAt: number | null
  /** When it last considered something new. */
  consideredAt: number | null
  /** Failures of the model in a row, and when it may be asked again. */
  failures: number
  retryAt: number
  /** The last refusal, since when, and how often; it is journalled when it changes. */
  refusal: (Refusal & { since: number; times: number }) | null
  /** The random wait of eagerness. It starts again after a restart, which does not change its distribution. */
  waiting: Waiting | null
  /** The time of the last tick; the wait counts from here. */
  lookedAt: number | null
}

export function newCommunity({ platform, community }: CommunityRef): CommunityState {
  return {
    version: 1,
    ...{ platform, community, thought: null, underWay: null, posts: [], postedAt: null, consideredAt: null },
    ...{ failures: 0, retryAt: 0, refusal: null, waiting: null, lookedAt: null },
  }
}

/** A journal entry about a community's thoughts. It never contains messages of people. */
export interface ThoughtEntry {
  kind: ThoughtEntryKind
  reason: string
  data?: Record<string, unknown> | undefined
}

/** The kinds of journal entries about thoughts, each with its label for users. */
export const thoughtEntryLabels = {
  "thought.posted": "posted",
  "thought.held": "held a thought",
  "thought.dropped": "dropped a thought",
  "thought.returned": "did not post it yet",
  "thought.unconfirmed": "may have posted",
  "thought.failed": "failed to ask the model",
  "thought.refused": "did not consider posting",
}

/** `thought.considered` (a model is asked) is not shown to users; its result is. */
type ThoughtEntryKind = keyof typeof thoughtEntryLabels | "thought.considered"

/** The next state of a community, and its journal entries. */
export interface CommunityChange {
  state: CommunityState
  entries: ThoughtEntry[]
}
