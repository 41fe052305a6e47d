import type { PurgeResult } from "../../activities/purge.ts"
import type { PresentedHit } from "../../memory/find/present-hit.ts"
import type { MemoryStats } from "../../memory/history/stats.ts"
import type { GraphChange, TimelineEvent } from "../../memory/history/timeline.ts"
import type { OperationSummary, Undone } from "../../memory/history/undo.ts"
import type { UndoneGroup } from "../../memory/history/undo-group.ts"
import type { SearchExplanation, Why } from "../../memory/history/why.ts"
import type { Belief } from "../../memory/model/decay.ts"
import type { Memory } from "../../memory/model/memory.ts"
import type { Edge, OpenKind } from "../../memory/model/store/graph.ts"
import type { ListedCluster } from "../../memory/topics/clusters/list.ts"
import type { OrganisedScope } from "../../memory/topics/clusters/organise.ts"
import type { GraphOverview } from "../../memory/topics/graph-overview.ts"
import type { TagCleanUp } from "../../memory/topics/tags/clean-up.ts"
import type { TagUse } from "../../memory/topics/tags/variants.ts"
import type { Remembered } from "../../memory/write/remember.ts"
import type { Turn } from "../../sessions/turn.ts"
import type { JournalEntry } from "../../storage/journal.ts"
import type { IsoTimes } from "./iso-times.ts"
import type { SessionJson, SurfacedJson } from "./session-answers.ts"
import type { MayReplace, ShownMemory } from "./shown-memory.ts"

/** Answers about memories, clusters, tags and history. */
export interface MemoryAnswers {
  /** The outcome for a text, and the type and project of the memory. */
  add: WithTexts<Remembered> & SavedAs
  list: { memories: ShownMemory[]; next: string | null }
  search: {
    results: HitJson[]
    /** True if nothing is sure; the best few results are there anyway. */
    abstained: boolean
    /** How likely there is an answer at all, 0 to 1. */
    confidence: number
    tookMs: number
    /** Why nothing can be found, if the query is not the reason. */
    reason?: string
  }
  similar: { results: HitJson[] }
  show: NamedMemory & {
    /** Its confidence today. */
    confidenceNow: number
    /** Tags that Reverie inferred. */
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
  /** Pairs that say nearly the same and that the garden did not merge; newest first. */
  duplicates: { duplicates: { at: string; note: string; memories: PairJson }[] }
  fading: FadingMemories
  prune: Changes & Pick<FadingMemories, "faint" | "counts">
  /** `snapshots` are copies that the purge did not change. */
  purge:
    | { outcome: "asked"; memories: number; snapshots: string[] }
    | ({ outcome: "purged"; snapshots: string[]; snapshotsRemoved: string[] } & PurgeResult)
  history: { id: string; events: IsoTimes<TimelineEvent>[] }
  /** The graph for drawing. */
  graph: GraphOverview
  /** The session a memory comes from, where it came up, and its confidence over time. */
  provenance: {
    id: string
    session: SessionJson | null
    /** The messages it was learned from (`isSource`), with a few before and after. */
    turns: (IsoTimes<Turn> & { isSource: boolean })[]
    surfaced: SurfacedJson[]
    /** `ahead` is the forecast if nothing happens. */
    confidence: Record<"past" | "ahead", { at: string; confidence: number }[]>
  }
  why: Omit<IsoTimes<Why>, "memory"> & {
    memory: ShownMemory
    belief: Belief
    /** The same as sentences. */
    sentences: string[]
    finding?: SearchExplanation
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
  /** What was undone; for a cycle also which operations, and which newer changes depend on. */
  undo: (Undone | UndoneGroup) & { outcome: "undone" }
  /** What a cycle changed in the graph. */
  cycleChanges: { changes: IsoTimes<GraphChange>[] }
}

type WithTexts<T> = T extends { mayReplace?: string[] } ? Omit<T, "mayReplace"> & MayReplace : T

/** The type, scope, status and project of a saved memory. */
export interface SavedAs extends Partial<Pick<Memory, "type" | "scope" | "status">> {
  projectName?: string | null
}

/** What a call changed; `unchanged` if nothing did. */
export interface Changes {
  outcome: string
  operation: string
  memories: ShownMemory[]
  edges: { before: EdgeJson | null; after: EdgeJson | null }[]
}

export type EdgeJson = Omit<Edge, "createdAt">

/** Two memories with the names of their projects. */
export type PairJson = [NamedMemory, NamedMemory]
type NamedMemory = ShownMemory & { projectName: string | null }

/** Fading memories, each with its confidence today. */
export interface FadingMemories {
  expired: FadingJson[]
  faint: FadingJson[]
  counts: { expired: number; faint: number }
}
export type FadingJson = ShownMemory & { confidenceNow: number }

export type HitJson = PresentedHit

/** A journal entry as JSON. */
export type EntryJson = IsoTimes<JournalEntry>
