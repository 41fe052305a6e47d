import type { Rehearsal } from "../../activities/initiate/rehearse.ts"
import type { CommunityThoughts } from "../../activities/initiate/thoughts.ts"
import type { ChannelState } from "../../activities/listen/lasting-channel.ts"
import type { Told } from "../../activities/listen/why.ts"
import type { SourceChangeOverview } from "../../chat/discovery/overview.ts"
import type { Usage } from "../../chat/supervisor/store.ts"
import type { IsoTimes } from "./iso-times.ts"

/** What is answered about chat channels. */
export interface ChatAnswers {
  chat: { chat: ChatState | null }
  chatPolicy: { room: string; sentences: string[] }
  chatWhy: { decisions: IsoTimes<Told>[] }
  /** What it would have said by itself in a community, with sending switched off, and the cost of finding out. */
  chatRehearse: Omit<Rehearsal, "from" | "until" | "steps"> & {
    from: string
    until: string
    steps: IsoTimes<Rehearsal["steps"][number]>[]
  }
  /** What it thinks of saying by itself in each community, what became of it, and why it says nothing. */
  chatThoughts: {
    communities: ThoughtsJson[]
    /** Why there is nothing to tell, where settings say so. */
    note: string | null
  }
  chatStats: { since: string; rooms: ({ room: string } & ChatCounts)[]; total: ChatCounts }
  chatSources: {
    sources: ChatSourceJson[]
    /** What the agent changed by itself, the newest first; `holds` if it can be taken back. */
    changes: IsoTimes<SourceChangeOverview>[]
  }
  /** `change` is what the agent had done. */
  chatSourcesUndo: { outcome: "undone"; source: string; community: string; change: "added" | "removed" }
  /** `rooms` is null where it is about all. */
  chatMute: { outcome: "muted" | "unmuted"; rooms: string[] | null }
}

/** The chat channels that are switched on. */
export interface ChatState {
  channels: (Omit<ChannelState, "since"> & { since: string })[]
  /** Why one that is switched on could not be opened. */
  problems: string[]
  /** How many conversations are awake, and in how many an answer is being written. */
  rooms: number
  replying: number
  /** Whether it was muted everywhere. */
  isMuted: boolean
}

type ThoughtsJson = Omit<CommunityThoughts, "thought" | "silence" | "recent"> & {
  thought: IsoTimes<NonNullable<CommunityThoughts["thought"]>> | null
  silence: { gate: string; reason: string; since: string } | null
  recent: IsoTimes<CommunityThoughts["recent"][number]>[]
}

type ChatCounts = Omit<Usage, "microUsd"> & { usd: number }

/** Something that is read outside for chat, how reading goes, and how people took what came of it. */
export interface ChatSourceJson {
  source: string
  family: string
  title: string
  addedBy: "person" | "agent"
  /** For which community the agent added it; null for all. */
  community: string | null
  /** "new" was not read yet; "off" belongs to a type that is switched off. */
  state: "new" | "ok" | "failing" | "off"
  lastRead: string | null
  nextRead: string | null
  failures: number
  error: string | null
  entries: number
  /** Posts of which it is known how people took them, and how. */
  shared: number
  liked: number
  disliked: number
  ignored: number
  /** The change of the agent that added it, which can be taken back. */
  change: string | null
}
