import type { RoomRef } from "../channels/channel.ts"
import type { Waiting } from "./eagerness.ts"
import type { Thought } from "./thought.ts"

/** Whose people are one audience. */
export type CommunityRef = Pick<RoomRef, "platform" | "community">

/** Why nothing is thought about now, as one of the gates says it. */
export interface Refusal {
  gate: Gate
  reason: string
}

/** The gates in the order in which they are asked; the first that refuses is told. */
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

/** Everything known of a community's thoughts: plain JSON, so that it survives a restart. */
export interface CommunityState extends CommunityRef {
  version: 1
  thought: Thought | null
  /** What a model is being asked about; null while none is. */
  underWay: { id: string; kind: "fresh" | "revisit"; since: number; before: number | null } | null
  /** When it said something of its own, within the last 24 hours. */
  posts: number[]
  postedAt: number | null
  /** When it last looked whether it has something new to say. */
  consideredAt: number | null
  /** Failures of the model in a row, and until when it is left alone for them. */
  failures: number
  retryAt: number
  /** What kept it from thinking last, since when, and how often; the journal is told when it changes. */
  refusal: (Refusal & { since: number; times: number }) | null
  /** The wait for eagerness. After a restart it begins anew, which such waits do not notice. */
  waiting: Waiting | null
  /** When it was last looked at, and how it stood; the time between two looks that is waited for counts from here. */
  lookedAt: number | null
}

/** A community that nothing was thought about yet. */
export function newCommunity({ platform, community }: CommunityRef): CommunityState {
  return {
    version: 1,
    ...{ platform, community, thought: null, underWay: null, posts: [], postedAt: null, consideredAt: null },
    ...{ failures: 0, retryAt: 0, refusal: null, waiting: null, lookedAt: null },
  }
}

/** What the journal is told of a community's thoughts. Words of people never stand in it. */
export interface ThoughtEntry {
  kind: ThoughtEntryKind
  reason: string
  data?: Record<string, unknown> | undefined
}

/** What became of thoughts, and how people are told. */
export const thoughtDeeds = {
  "thought.posted": "said something",
  "thought.held": "kept a thought",
  "thought.dropped": "dropped a thought",
  /** It was to be said and was kept back; it is held again. */
  "thought.returned": "kept it back",
  "thought.unconfirmed": "may have said something",
  "thought.failed": "could not think",
  /** Nothing is thought about, and which gate says so. */
  "thought.refused": "did not think",
}

/** That a model is asked is told to nobody: what came of it is. */
type ThoughtEntryKind = keyof typeof thoughtDeeds | "thought.considered"

/** A community after something happened to it, and what the journal is told. */
export interface Changed {
  state: CommunityState
  entries: ThoughtEntry[]
}
