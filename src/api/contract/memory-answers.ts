import type { Purged } from "../../activities/purge.ts"
import type { PresentedHit } from "../../memory/find/present-hit.ts"
import type { GraphChange } from "../../memory/history/changes.ts"
import type { OperationSummary, Undone } from "../../memory/history/history.ts"
import type { MemoryStats } from "../../memory/history/stats.ts"
import type { Event } from "../../memory/history/timeline.ts"
import type { UndoneGroup } from "../../memory/history/undo-cycle.ts"
import type { Finding, Why } from "../../memory/history/why.ts"
import type { Belief } from "../../memory/model/decay.ts"
import type { Memory } from "../../memory/model/memory.ts"
import type { Edge, OpenKind } from "../../memory/model/store/graph.ts"
import type { ListedCluster } from "../../memory/topics/clusters/list.ts"
import type { OrganisedScope } from "../../memory/topics/clusters/organise.ts"
import type { GraphPicture } from "../../memory/topics/picture.ts"
import type { TagCleanUp } from "../../memory/topics/tags/clean-up.ts"
import type { TagUse } from "../../memory/topics/tags/variants.ts"
import type { Remembered } from "../../memory/write/remember.ts"
import type { Turn } from "../../sessions/turn.ts"
import type { JournalEntry } from "../../storage/journal.ts"
import type { IsoTimes } from "./iso-times.ts"
import type { SessionJson, SurfacedJson } from "./session-answers.ts"
import type { MayReplace, ShownMemory } from "./shown-memory.ts"

/** What is answered about memories, what belongs together, and what happened to them. */
export interface MemoryAnswers {
  /** What became of a text, and of what kind and for which project it is kept. */
  add: WithTexts<Remembered> & KeptAs
  list: { memories: ShownMemory[]; next: string | null }
  search: {
    results: HitJson[]
    /** True when nothing is sure; the best few are given all the same. */
    abstained: boolean
    /** How likely there is an answer at all, 0 to 1. */
    confidence: number
    tookMs: number
    /** Why nothing can be found, when that is not the query's fault. */
    reason?: string
  }
  similar: { results: HitJson[] }
  show: NamedMemory & {
    /** How far it is believed today. */
    confidenceNow: number
    /** Tags that nobody told. */
    inferredTags: string[]
    clusters: { id: string; name: string }[]
    edges: EdgeJson[]
    history: { at: string; kind: string; operation: string; actor: string }[]
  }
  edit: (Changes & MayReplace) | { outcome: "refused"; reason: string }
  forget: Changes
  restore: Changes
  tag: Changes
  link: Changes
  rate: Changes
  resolve: Changes
  conflicts: { conflicts: { kind: OpenKind; at: string; memories: PairJson }[] }
  /** Pairs that say nearly the same, which the garden did not dare to merge; the newest first. */
  duplicates: { duplicates: { at: string; note: string; memories: PairJson }[] }
  fading: FadingMemories
  prune: Changes & Pick<FadingMemories, "faint" | "counts">
  /** `snapshots` are copies of the memory that a purge did not touch. */
  purge:
    | { outcome: "asked"; memories: number; snapshots: string[] }
    | ({ outcome: "purged"; snapshots: string[]; snapshotsRemoved: string[] } & Purged)
  history: { id: string; events: IsoTimes<Event>[] }
  /** The graph as a picture of it needs it. */
  graph: GraphPicture
  /** Where a memory comes from, where it came up, and how far it was believed meanwhile. */
  provenance: {
    id: string
    session: SessionJson | null
    /** What was said there, with a little before and after; `isSource` is what it was learned from. */
    turns: (IsoTimes<Turn> & { isSource: boolean })[]
    surfaced: SurfacedJson[]
    /** `ahead` is what becomes of it if nothing happens. */
    confidence: Record<"past" | "ahead", { at: string; confidence: number }[]>
  }
  why: Omit<IsoTimes<Why>, "memory"> & {
    memory: ShownMemory
    belief: Belief
    /** The same for people, a sentence each. */
    sentences: string[]
    finding?: Finding
  }
  stats: {
    counts: Omit<MemoryStats, "oldest" | "newest" | "storage">
    storage: Record<string, string>
    oldest: string | null
    newest: string | null
  }
  clusters: { clusters: IsoTimes<ListedCluster>[] }
  refreshClusters: { places: OrganisedScope[] }
  tags: { tags: TagUse[] }
  describeTag: { operation: string; tag: string; description: string | null }
  cleanUpTags: TagCleanUp & { dryRun: boolean }
  journal: { entries: EntryJson[] }
  operations: { operations: IsoTimes<OperationSummary>[] }
  /** What was taken back; of a cycle also which operations, and which something newer builds on. */
  undo: (Undone | UndoneGroup) & { outcome: "undone" }
  /** What a cycle changed in the graph. */
  cycleChanges: { changes: IsoTimes<GraphChange>[] }
}

type WithTexts<T> = T extends { mayReplace?: string[] } ? Omit<T, "mayReplace"> & MayReplace : T

/** Of what kind and for which project a memory is kept. */
export interface KeptAs extends Partial<Pick<Memory, "type" | "scope" | "status">> {
  projectName?: string | null
}

/** What an act changed; `unchanged` if everything was so already. */
export interface Changes {
  outcome: string
  operation: string
  memories: ShownMemory[]
  edges: { before: EdgeJson | null; after: EdgeJson | null }[]
}

export type EdgeJson = Omit<Edge, "createdAt">

/** Two memories side by side, with what their projects are called. */
export type PairJson = [NamedMemory, NamedMemory]
type NamedMemory = ShownMemory & { projectName: string | null }

/** What fades, each with how far it is believed today. */
export interface FadingMemories {
  expired: FadingJson[]
  faint: FadingJson[]
  counts: { expired: number; faint: number }
}
export type FadingJson = ShownMemory & { confidenceNow: number }

export type HitJson = PresentedHit

/** A journal entry as it travels. */
export type EntryJson = IsoTimes<JournalEntry>
