import type { Rehearsal } from "../../activities/initiate/rehearse.ts"
import type { CommunityThoughts } from "../../activities/initiate/thoughts.ts"
import type { MessageDecision } from "../../activities/listen/explain/message.ts"
import type { ChannelState } from "../../activities/listen/reconnecting-channel.ts"
import type { SourceChangeOverview } from "../../chat/discovery/overview.ts"
import type { Usage } from "../../chat/supervisor/store.ts"
import type { IsoTimes } from "./iso-times.ts"

/** Answers about chat channels. */
export interface ChatAnswers {
  chat: { chat: ChatState | null }
  chatPolicy: { room: string; sentences: string[] }
  chatWhy: { decisions: IsoTimes<MessageDecision>[] }
  /** What it would have posted by itself in a community, with sending switched off, and the cost of the rehearsal. */
  chatRehearse: Omit<Rehearsal, "from" | "until" | "steps"> & {
    from: string
    until: string
    steps: IsoTimes<Rehearsal["steps"][number]>[]
  }
  /** What it plans to post by itself in each community, the outcome, and why it posts nothing. */
  chatThoughts: {
    communities: ThoughtsJson[]
    /** Why there is nothing, if settings are the reason. */
    note: string | null
  }
  chatStats: { since: string; rooms: ({ room: string } & ChatCounts)[]; total: ChatCounts }
  chatSources: {
    sources: ChatSourceJson[]
    /** What the agent changed by itself, newest first; `holds` if it can be undone. */
    changes: IsoTimes<SourceChangeOverview>[]
  }
  /** `change` is what the agent did. */
  chatSourcesUndo: { outcome: "undone"; source: string; community: string; change: "added" | "removed" }
  /** `rooms` is null for all rooms. */
  chatMute: { outcome: "muted" | "unmuted"; rooms: string[] | null }
}

/** The enabled chat channels. */
export interface ChatState {
  channels: (Omit<ChannelState, "since"> & { since: string })[]
  /** Why an enabled channel could not be opened. */
  problems: string[]
  /** The number of active conversations, and of those in which an answer is being written. */
  rooms: number
  replying: number
  /** Whether it is muted everywhere. */
  isMuted: boolean
}

type ThoughtsJson = Omit<CommunityThoughts, "thought" | "silence" | "recent"> & {
  thought: IsoTimes<NonNullable<CommunityThoughts["thought"]>> | null
  silence: { gate: string; reason: string; since: string } | null
  recent: IsoTimes<CommunityThoughts["recent"][number]>[]
}

type ChatCounts = Omit<Usage, "microUsd"> & { usd: number }

/** A source that is read for chat, its state, and how people reacted to posts from it. */
export interface ChatSourceJson {
  source: string
  family: string
  title: string
  addedBy: "person" | "agent"
  /** The community that the agent added it for; null for all. */
  community: string | null
  /** "new" was not read yet; "off" belongs to a type that is switched off. */
  state: "new" | "ok" | "failing" | "off"
  lastRead: string | null
  nextRead: string | null
  failures: number
  error: string | null
  entries: number
  /** Posts with a known reaction, and the reactions. */
  shared: number
  liked: number
  disliked: number
  ignored: number
  /** The agent's change that added it, which can be undone. */
  change: string | null
}
