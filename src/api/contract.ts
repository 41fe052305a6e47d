import { z } from "zod"
import type { Check } from "../activities/check.ts"
import type { Purged } from "../activities/purge.ts"
import type { ExtractedSession } from "../activities/read-sessions/extract-session.ts"
import type { Ambient } from "../activities/tend/control.ts"
import type { WindowBudget } from "../attention/budget/window-budget.ts"
import type { Cycle } from "../attention/cycles.ts"
import type { QueueItem } from "../attention/queue.ts"
import { trustLevels } from "../attention/trust.ts"
import { parseTime } from "../base/clock.ts"
import { chatPlatforms } from "../chat/channels/platforms.ts"
import { keyedMedia } from "../chat/media/keyed-media.ts"
import type { EmbedderStatus } from "../embedding/embedder.ts"
import type { Message, ModelRef, Spent } from "../llm/choice/access.ts"
import { type Job, jobs } from "../llm/choice/catalog.ts"
import type { AccessState, Choice } from "../llm/choice/select.ts"
import type { Failure } from "../llm/failure.ts"
import type { Totals, UsageRow } from "../llm/ledger.ts"
import type { Pool } from "../llm/limits/limit-reading.ts"
import type { PoolState } from "../llm/limits/pool-state.ts"
import { accountIds } from "../llm/signin/account-ids.ts"
import type { PresentedHit } from "../memory/find/present-hit.ts"
import type { GraphChange } from "../memory/history/changes.ts"
import type { OperationSummary, Undone } from "../memory/history/history.ts"
import type { MemoryStats } from "../memory/history/stats.ts"
import type { Event } from "../memory/history/timeline.ts"
import type { UndoneGroup } from "../memory/history/undo-cycle.ts"
import type { Finding, Why } from "../memory/history/why.ts"
import type { Belief } from "../memory/model/decay.ts"
import {
  importFormats,
  keeps,
  memoryStatuses,
  memoryTypes,
  personalKinds,
  ratings,
} from "../memory/model/kinds.ts"
import { type Memory, newMemorySchema, saidFrom } from "../memory/model/memory.ts"
import type { Edge, OpenKind } from "../memory/model/store/graph.ts"
import type { ListedCluster } from "../memory/topics/clusters/list.ts"
import type { OrganisedScope } from "../memory/topics/clusters/organise.ts"
import type { GraphPicture } from "../memory/topics/picture.ts"
import type { TagCleanUp } from "../memory/topics/tags/clean-up.ts"
import type { TagUse } from "../memory/topics/tags/variants.ts"
import { editSchema } from "../memory/write/change/edit.ts"
import type { Gap } from "../memory/write/gaps.ts"
import type { Remembered } from "../memory/write/remember.ts"
import type { RecallPreview, Surfaced } from "../recall/types.ts"
import type { PermissionRequest } from "../safety/permission/request.ts"
import { type Session, sessionStatuses } from "../sessions/session.ts"
import type { Turn } from "../sessions/turn.ts"
import type { JournalEntry } from "../storage/journal.ts"
import type { MayReplace } from "./answers/may-replace.ts"
import type { ShownMemory } from "./answers/shown.ts"

/** What travels through the API, both ways. Routes answer with these types, the client expects them. */

/** A yes in a query string. */
const yes = z.enum(["true", "false"]).transform((text) => text === "true")

function limit(fallback: number, most: number) {
  return z.coerce.number().int().min(1).max(most).default(fallback)
}

const viewer = {
  project: z.string().min(1).optional(),
  session: z.string().min(1).optional(),
  allProjects: yes.optional(),
}

const id = z.string().min(1).max(100)
const channelName = z.string().min(1).max(500)
const ids = z.array(id).min(1).max(1000)
const tags = z.array(z.string().max(100)).max(50).default([])

const configChanges = z
  .array(z.object({ key: z.string().min(1).max(200), value: z.string().max(20_000) }))
  .min(1)
  .max(100)

/** A session as whoever works in it names it. */
const session = z.object({
  id: z.string().min(1).max(500),
  tool: z.string().min(1).max(50),
  /** A folder or a name. */
  project: z.string().min(1).max(4000).optional(),
})
/** More of one text than this is not looked at. */
const happened = z.string().max(1_000_000)
const files = z.array(z.string().max(1000)).max(100).optional()
const happening = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("prompt"), text: happened }),
  z.object({ kind: z.literal("output"), text: happened, files }),
  z.object({
    kind: z.literal("tool"),
    name: z.string().max(200),
    text: happened,
    input: happened.optional(),
    isError: z.boolean().default(false),
    files,
  }),
  z.object({ kind: z.literal("call"), name: z.string().max(200), text: happened }),
])

export const requests = {
  /** Without a type it is told by the wording. */
  add: newMemorySchema.extend({ type: z.enum(memoryTypes).optional() }),
  edit: editSchema,
  forget: z.object({ ids }),
  restore: z.object({ ids }),
  tag: z.object({ ids, add: tags, remove: tags, from: saidFrom }),
  link: z.object({
    source: id,
    kind: z.enum(personalKinds),
    target: id,
    weight: z.number().min(0).max(1).optional(),
    /** Takes the link away instead. */
    remove: z.boolean().default(false),
  }),
  rate: z.object({ id, rating: z.enum(ratings) }),
  /** With `memory` only those that it is one side of. */
  conflicts: z.object({ ...viewer, memory: id.optional(), limit: limit(100, 1000) }),
  resolve: z.object({ id, other: id.optional(), keep: z.enum(keeps) }),
  /** The newest memories and the edges between them. */
  graph: z.object({ project: viewer.project, allProjects: viewer.allProjects, limit: limit(5000, 100_000) }),
  today: z.object({ hours: z.coerce.number().int().min(1).max(744).default(24) }),
  /** Settings to change, each as it is typed on the command line. */
  configEdit: z.object({ changes: configChanges }),
  /** `digest` is of the file the diff was shown for. */
  configWrite: z.object({ changes: configChanges, digest: z.string().length(64) }),
  fading: z.object({ limit: limit(50, 1000) }),
  prune: z.object({ limit: z.int().min(1).max(1000).default(200) }),
  purge: z.object({
    choice: z.union([
      z.strictObject({ ids }),
      z.strictObject({ forgotten: z.literal(true) }),
      z.strictObject({ project: z.string().min(1) }),
      z.strictObject({ all: z.literal(true) }),
    ]),
    /** Without it only the number of memories is told. */
    confirmed: z.boolean().default(false),
    /** Removes the copies of the whole memory as well. */
    snapshots: z.boolean().default(false),
  }),
  why: z.object({ ...viewer, query: z.string().min(1).max(10_000).optional() }),
  chatPolicy: z.object({
    channel: channelName,
    message: z.string().max(4000).optional(),
    user: z.string().min(1).max(200).optional(),
  }),
  chatThoughts: z.object({
    community: channelName.optional(),
    limit: z.coerce.number().int().min(1).max(200).default(10),
  }),
  chatRehearse: z.object({ community: channelName, hours: z.int().min(1).max(168).default(24) }),
  chatWhy: z.object({ message: z.string().min(1).max(200).optional(), channel: channelName.optional() }),
  chatStats: z.object({ days: z.coerce.number().int().min(1).max(3660).default(7) }),
  chatSources: z.object({ community: z.string().min(1).max(300).optional() }),
  chatSourcesUndo: z.object({ id: z.string().regex(/^op_[0-9a-z]{8,40}$/, "must be the id of a change") }),
  /** Without a channel it is about all. */
  chatMute: z.object({ channel: channelName.optional(), off: z.boolean().default(false) }),
  list: z.object({
    ...viewer,
    type: z.enum(memoryTypes).optional(),
    tag: z.string().optional(),
    status: z.enum(memoryStatuses).optional(),
    limit: limit(50, 1000),
    after: z.string().optional(),
  }),
  search: z.object({
    ...viewer,
    query: z.string().max(10_000),
    limit: limit(10, 200),
    /** True gives what is sure and the best few that are not, strict only what is sure, false the whole ranked list. */
    gate: z
      .enum(["true", "false", "strict"])
      .default("true")
      .transform((text) => (text === "strict" ? text : text === "true")),
    /** The last word may be unfinished: the commonest known word that begins so is meant. */
    typing: yes.default(false),
    /** When it is asked, if not now: ISO text, or milliseconds since 1970. */
    askedAt: z
      .string()
      .transform((text) => (/^\d+$/.test(text) ? Number(text) : parseTime(text)))
      .pipe(z.int("A time such as 2026-03-01T12:00:00Z is expected"))
      .optional(),
    /** What has this audience and nothing else, such as the memory of a chat community. */
    onlyAudience: z.string().min(1).max(200).optional(),
    /** Who asks belongs to these; one, or a list with commas. */
    audience: z
      .union([z.string(), z.array(z.string())])
      .transform((names) => [names].flat().flatMap((name) => name.split(",")))
      .optional(),
  }),
  export: z.object({
    format: z.enum(["json", "markdown"]).default("json"),
    project: z.string().min(1).optional(),
  }),
  import: z.object({
    verbatim: yes.default(false),
    from: z.string().min(1).optional(),
    format: z.enum(importFormats).default("auto"),
    project: z.string().min(1).optional(),
    beside: z.string().min(1).optional(),
  }),
  journal: z.object({
    after: z.coerce.number().int().min(0).default(0),
    kind: z.string().optional(),
    operation: z.string().optional(),
    subject: z.string().optional(),
    /** The newest entries instead of the oldest; still in order. */
    newest: yes.default(false),
    limit: limit(100, 10_000),
  }),
  follow: z.object({ after: z.coerce.number().int().min(0).optional() }),
  operations: z.object({ limit: limit(20, 500) }),
  clusters: z.object({
    project: viewer.project,
    allProjects: viewer.allProjects,
    /** How many members of each are shown. */
    members: z.coerce.number().int().min(0).max(100).default(3),
  }),
  refreshClusters: z.object({ project: z.string().min(1).optional(), allProjects: z.boolean().optional() }),
  tellSession: z.object({ session, happening }),
  similar: z.object({ ...viewer, limit: limit(10, 200) }),
  tags: z.object(viewer),
  describeTag: z.object({
    tag: z.string().trim().min(1).max(100),
    description: z.string().max(2000),
    from: saidFrom,
  }),
  cleanUpTags: z.object({ dryRun: z.boolean().default(false) }),
  sessions: z.object({
    tool: z.string().min(1).max(50).optional(),
    project: viewer.project,
    status: z.enum(sessionStatuses).optional(),
    limit: limit(50, 1000),
  }),
  session: z.object({ from: z.coerce.number().int().min(0).default(0), limit: limit(1000, 10_000) }),
  /** Which skipped transcript is read again; all without one. */
  retrySessions: z.object({ place: z.string().min(1).max(4000).optional() }),
  extract: z.object({ dryRun: z.boolean().default(false) }),
  noteCredential: z.object({
    account: z.enum([...accountIds, ...chatPlatforms, ...keyedMedia]),
    change: z.enum(["saved", "removed"]),
  }),
  testModel: z.object({ job: z.enum(jobs) }),
  usage: z.object({
    /** How many days back, today included. */
    days: z.coerce.number().int().min(1).max(366).default(7),
    /** Minutes that local time is ahead of UTC, so that days are the user's own. */
    zone: z.coerce.number().int().min(-900).max(900).default(0),
  }),
  pause: z.object({ minutes: z.number().min(1).max(525_600).optional() }),
  inbox: z.object({ all: yes.default(false) }),
  /** The digest is of what the person was shown: a decision is about that and nothing else. */
  decide: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("approve"), input: z.record(z.string(), z.unknown()).optional() }),
      z.object({ kind: z.literal("deny"), text: z.string().max(4000).optional() }),
      z.object({ kind: z.literal("respond"), text: z.string().min(1).max(4000) }),
    ])
    .and(z.object({ digest: z.string().length(64), from: z.enum(["cli", "tui", "web"]).optional() })),
  /** Null takes it back. */
  trust: z.object({ level: z.enum(trustLevels).nullable() }),
  queueAdd: z.object({
    context: z.string().trim().min(1).max(2000),
    minutes: z.number().min(0).max(525_600).default(0),
    priority: z.enum(["low", "normal", "high"]).default("normal"),
    project: z.string().min(1).optional(),
    from: saidFrom,
  }),
  cycles: z.object({ limit: limit(20, 500) }),
  judgeCycle: z.object({
    verdict: z.enum(["approved", "rejected"]),
    reason: z.string().trim().min(1).max(1000).optional(),
    from: saidFrom,
  }),
  /** What a tool of the user's tells about limits, as it comes. */
  learnLimits: z.object({ tool: z.literal("claude-code"), input: z.unknown() }),
  recallStart: z.object({ session }),
  recallTurn: z.object({
    session,
    happening,
    /** It is only told: nobody can show the agent anything now. */
    observe: z.boolean().default(false),
  }),
  recallEnd: z.object({ session }),
  recallPreview: z.object({ session, text: z.string().min(1).max(100_000) }),
  gaps: z.object({ project: viewer.project, limit: limit(50, 1000) }),
  undo: z.object({ operation: z.string().min(1).optional() }),
}

/** What a client may give for a request: the schema's input, with numbers and booleans as they are. */
export type Asked<Name extends keyof typeof requests> = {
  [Key in keyof z.input<(typeof requests)[Name]>]: z.input<(typeof requests)[Name]>[Key]
}

/** The daemon as it tells about itself. */
export interface DaemonInfo {
  pid: number
  host: string
  version: string
  startedAt: number
  socket: string
  /** The loopback address, or null when HTTP is off. */
  url: string | null
}

type Versioned<T> = { schemaVersion: number } & T

/** What became of a text, and of what kind and for which project it is kept. */
export type AddAnswer = Versioned<WithTexts<Remembered> & KeptAs>
type WithTexts<T> = T extends { mayReplace?: string[] } ? Omit<T, "mayReplace"> & MayReplace : T
export interface KeptAs {
  type?: Memory["type"]
  scope?: Memory["scope"]
  status?: Memory["status"]
  projectName?: string | null
}
export type ListAnswer = Versioned<{ memories: ShownMemory[]; next: string | null }>
export type HitJson = PresentedHit
export type SearchAnswer = Versioned<{
  results: HitJson[]
  /** True when nothing is sure; the best few are given all the same. */
  abstained: boolean
  /** How likely there is an answer at all, 0 to 1. */
  confidence: number
  tookMs: number
  /** Why nothing can be found, when that is not the query's fault. */
  reason?: string
}>
export type ShowAnswer = Versioned<
  ShownMemory & {
    projectName: string | null
    /** How far it is believed today. */
    confidenceNow: number
    /** Tags that nobody told. */
    inferredTags: string[]
    clusters: { id: string; name: string }[]
    edges: Omit<Edge, "createdAt">[]
    history: { at: string; kind: string; operation: string; actor: string }[]
  }
>
/** What an act changed; `unchanged` if everything was so already. */
export type ChangedAnswer = Versioned<{
  outcome: string
  operation: string
  memories: ShownMemory[]
  edges: { before: Omit<Edge, "createdAt"> | null; after: Omit<Edge, "createdAt"> | null }[]
}>
export type EditAnswer = (ChangedAnswer & MayReplace) | Versioned<{ outcome: "refused"; reason: string }>
/** Two memories side by side, with what their projects are called. */
export type PairJson = [NamedMemory, NamedMemory]
type NamedMemory = ShownMemory & { projectName: string | null }
export type ConflictsAnswer = Versioned<{ conflicts: { kind: OpenKind; at: string; memories: PairJson }[] }>
/** Pairs that say nearly the same, which the garden did not dare to merge; the newest first. */
export type DuplicatesAnswer = Versioned<{ duplicates: { at: string; note: string; memories: PairJson }[] }>
/** A memory that fades, with how far it is believed today. */
export type FadingJson = ShownMemory & { confidenceNow: number }
export type FadingAnswer = Versioned<{
  expired: FadingJson[]
  faint: FadingJson[]
  counts: { expired: number; faint: number }
}>
export type PruneAnswer = ChangedAnswer & Pick<FadingAnswer, "faint" | "counts">
/** Copies of the memory that a purge did not touch, or removed. */
export type PurgeAnswer = Versioned<
  | { outcome: "asked"; memories: number; snapshots: string[] }
  | ({ outcome: "purged"; snapshots: string[]; snapshotsRemoved: string[] } & Purged)
>
export type HistoryAnswer = Versioned<{ id: string; events: (Omit<Event, "at"> & { at: string })[] }>
/** The graph as a picture of it needs it. */
export type GraphAnswer = Versioned<GraphPicture>
/** What came up in a session at one moment, unasked. */
export interface SurfacedJson {
  at: string
  session: string
  /** Whether the session itself is still kept. */
  isKept: boolean
  title: string | null
  tool: string
  projectName: string | null
  /** The number of the prompt it came with. */
  turn: number
  /** `helpful` and `unhelpful` count what people said of it. */
  memories: { id: string; content: string; status: Memory["status"]; helpful: number; unhelpful: number }[]
}
/** Where a memory comes from, where it came up, and how far it was believed meanwhile. */
export type ProvenanceAnswer = Versioned<{
  id: string
  session: SessionJson | null
  /** What was said there, with a little before and after; `isSource` is what it was learned from. */
  turns: (Omit<Turn, "at"> & { at: string; isSource: boolean })[]
  surfaced: SurfacedJson[]
  /** `ahead` is what becomes of it if nothing happens. */
  confidence: Record<"past" | "ahead", { at: string; confidence: number }[]>
}>
/** What happened lately, and what needs the person. */
export type TodayAnswer = Versioned<{
  since: string
  /** The newest first; `count` counts all. */
  learned: {
    count: number
    memories: (ShownMemory & { by: string; savedAt: string; projectName: string | null })[]
  }
  surfaced: SurfacedJson[]
  cycles: CycleJson[]
  needsYou: { requests: RequestJson[]; conflicts: number; notes: number }
}>
/** What a cycle changed in the graph. */
export type CycleChangesAnswer = Versioned<{ changes: (Omit<GraphChange, "at"> & { at: string })[] }>
export type SessionSurfacedAnswer = Versioned<{ surfaced: SurfacedJson[] }>
/** A setting that explains itself. */
export interface SettingJson {
  key: string
  table: string
  value: unknown
  default: unknown
  help: string
  expects: string
  /** What a project's own file may do with it; null for nothing. */
  project: string | null
}
export type ConfigAnswer = Versioned<{
  file: string
  settings: SettingJson[]
  /** What is wrong in the file. */
  faults: string[]
  /** Settings that differ from what the daemon runs with. */
  afterRestart: string[]
}>
/** What would be written, line by line. */
export type ConfigDiffAnswer = Versioned<{ file: string; diff: string[]; digest: string }>
export type ConfigWrittenAnswer = Versioned<{ outcome: "written"; file: string; keys: string[] }>
export type DoctorAnswer = Versioned<{ checks: Check[] }>
/** A link that signs one browser in, once. */
export type WebLinkAnswer = Versioned<{ url: string; address: string; expiresAt: string }>
export type WhyAnswer = Versioned<
  Omit<Why, "memory" | "confirmedAt"> & {
    memory: ShownMemory
    confirmedAt: string
    belief: Belief
    /** The same for people, a sentence each. */
    sentences: string[]
    finding?: Finding
  }
>
export type StatsAnswer = Versioned<{
  counts: Omit<MemoryStats, "oldest" | "newest" | "storage">
  storage: Record<string, string>
  oldest: string | null
  newest: string | null
}>
export type ClustersAnswer = Versioned<{
  clusters: (Omit<ListedCluster, "updatedAt"> & { updatedAt: string })[]
}>
export type RefreshedAnswer = Versioned<{ places: OrganisedScope[] }>
/** What was read of sessions and what was learned; with `dryRun`, what would be. */
export type ExtractedAnswer = Versioned<{ dryRun: boolean; sessions: ExtractedSession[] }>
export type ToldAnswer = Versioned<{ outcome: "told" }>
export type SimilarAnswer = Versioned<{ results: HitJson[] }>
export type DescribedTagAnswer = Versioned<{ operation: string; tag: string; description: string | null }>
export type TagsAnswer = Versioned<{ tags: TagUse[] }>
export type CleanedTagsAnswer = Versioned<TagCleanUp & { dryRun: boolean }>
/** A copy of the whole memory on disk. */
export type SnapshotJson = { name: string; file: string; at: string; bytes: number }
export type SnapshotsAnswer = Versioned<{ snapshots: SnapshotJson[] }>
export type SnapshotAnswer = Versioned<SnapshotJson>
/** A journal entry as it travels. */
export type EntryJson = Omit<JournalEntry, "at"> & { at: string }
export type JournalAnswer = Versioned<{ entries: EntryJson[] }>
export type OperationsAnswer = Versioned<{ operations: (Omit<OperationSummary, "at"> & { at: string })[] }>
/** What was taken back; of a cycle also which operations, and which something newer builds on. */
export type UndoAnswer = Versioned<(Undone | UndoneGroup) & { outcome: "undone" }>
/** A session as it travels. */
export type SessionJson = Omit<Session, "startedAt" | "updatedAt" | "statusAt" | "lastUserAt" | "pid"> & {
  projectName: string | null
  startedAt: string
  updatedAt: string
  statusAt: string
  lastUserAt: string | null
  /** How many memories it taught. */
  learned: number
}
/** A transcript that is read no more, because reading it ended the thread or the daemon that read it. */
export interface SkippedJson {
  tool: Session["tool"]
  place: string
  reason: string
  since: string
}
/** How many transcripts are read again. */
export type RetriedSessionsAnswer = Versioned<{ retried: number }>
export type SessionsAnswer = Versioned<{
  sessions: SessionJson[]
  skipped: SkippedJson[]
  /** Those in which something is going on now. */
  active: string[]
  lastUserAt: string | null
}>
export type SessionAnswer = Versioned<{
  session: SessionJson
  /** What it taught. */
  learned: ShownMemory[]
  turns: (Omit<Turn, "at"> & { at: string })[]
  /** The turn to go on with, if there are more. */
  next: number | null
}>
/** Which model each job would ask, and how every way to one stands. */
export type ModelsAnswer = Versioned<{
  jobs: Choice[]
  ways: AccessState[]
  /** Pools that are stopped or wait, and why. */
  pools: (Omit<PoolState, "refusedAt" | "blockedUntil" | "stoppedAt"> & {
    name: string
    blockedUntil: string | null
    stoppedAt: string | null
  })[]
}>
export type RetriedAnswer = Versioned<{ outcome: "resumed"; pools: Pool[] }>
/** What came of asking a job's model something small. */
export type TestedAnswer = Versioned<
  | { outcome: "answered"; job: Job; by: ModelRef; tookMs: number; spent: Spent }
  | { outcome: "failed"; job: Job; failure: Omit<Failure, "retryAt"> & { retryAt?: string } }
>
export type UsageAnswer = Versioned<{ days: number; total: Totals; rows: UsageRow[] }>
export type LearnedAnswer = Versioned<{ outcome: "learned"; readings: number }>
/** One limit: the user's part, Reverie's, what is left, and what it allows. */
export type WindowJson = Omit<WindowBudget, "resetsAt" | "lengthMs"> & {
  resetsAt: string
  minutes: number
  /** When the provider was last heard about it, and from where. */
  readAt: string | null
  learnedFrom: string | null
}
/** The three parts of one limit, in percent of it: the user's, Reverie's, and what is left. */
export type WindowShares = Pick<WindowJson, "id" | "user" | "ambient" | "remaining" | "resetsAt">
/** What may be spent now, by the allowance a cycle would draw on. */
export type BudgetAnswer = Versioned<{
  /** Null where no model can be asked; `reason` says why. */
  pool: Pool | null
  poolName: string | null
  model: ModelRef | null
  mayRun: boolean
  nextAt: string | null
  intervalMinutes: number | null
  rule: string
  reason: string
  /** The hard stop of a cycle that runs now. */
  cycleTokens: number
  windows: WindowJson[]
  /** What is known of the user's other allowances. */
  others: { pool: Pool; poolName: string; windows: WindowJson[] }[]
}>
/** Something planned, as it travels. */
export type QueueItemJson = Omit<QueueItem, "dueAt" | "createdAt"> & { dueAt: string; createdAt: string }
export type CycleJson = Omit<Cycle, "startedAt" | "endedAt"> & { startedAt: string; endedAt: string | null }
export type QueueAnswer = Versioned<{ items: QueueItemJson[] }>
export type QueuedAnswer = Versioned<{ outcome: "added" | "cancelled"; item: QueueItemJson }>
export type CyclesAnswer = Versioned<{ cycles: CycleJson[] }>
export type CycleAnswer = Versioned<CycleJson & { messages: { at: string; message: Message }[] }>
/** A permission request, as the inbox shows it. */
export type RequestJson = Omit<PermissionRequest, "createdAt" | "expiresAt" | "decision"> & {
  /** What the project is called. */
  projectName: string | null
  createdAt: string
  expiresAt: string
  decision: (Omit<NonNullable<PermissionRequest["decision"]>, "at"> & { at: string }) | null
}
export type InboxAnswer = Versioned<{ requests: RequestJson[] }>
export type RequestAnswer = Versioned<RequestJson>
/** What the widget shows. */
export type AmbientAnswer = Versioned<{
  status: Ambient["status"]
  reason: string
  queue: { count: number; next: QueueItemJson | null }
  lastCycle: CycleJson | null
  nextWake: string | null
  /** The user's own pause; "for-ever" until they resume. */
  pausedUntil: string | null
  /** How far it is trusted, what the user said of it, and how many cycles they approved. */
  trust: Ambient["trust"]
}>
/** What is brought up in a session now; empty is the usual answer. */
export type SurfacedAnswer = Versioned<Surfaced>
export type RecallEndedAnswer = Versioned<{ outcome: "ended" }>
export type RecallPreviewAnswer = Versioned<RecallPreview>
/** Questions that found nothing. */
export type GapsAnswer = Versioned<{ gaps: (Omit<Gap, "at"> & { at: string })[] }>
export type NotedAnswer = Versioned<{ outcome: "noted" }>
/** The daemon without a look at the database, so that it also answers when that is away. */
export type DaemonAnswer = Versioned<Omit<DaemonInfo, "startedAt"> & { since: string; database: string }>
/** How it is going. What does not exist yet is null. */
/** How a chat channel stands. */
interface ChatChannelJson {
  platform: string
  state: "connecting" | "connected" | "disconnected" | "broken"
  since: string
  /** What is wrong, in one sentence. */
  problem: string | null
  communities: { id: string; name: string }[]
}

/** The chat channels that are switched on. */
export interface ChatState {
  channels: ChatChannelJson[]
  /** Why one that is switched on could not be opened. */
  problems: string[]
  /** How many conversations are awake, and in how many an answer is being written. */
  rooms: number
  replying: number
  /** Whether it was muted everywhere. */
  isMuted: boolean
}

export type ChatAnswer = Versioned<{ chat: ChatState | null }>

export type ChatPolicyAnswer = Versioned<{ room: string; sentences: string[] }>

export type ChatWhyAnswer = Versioned<{
  decisions: {
    at: string
    kind: string
    room: string
    /** What was done, and why. */
    text: string
    messages: string[]
    posts: string[]
  }[]
}>

/** What it would have said by itself in a community, with sending switched off, and the cost of finding out. */
export type ChatRehearseAnswer = Versioned<{
  community: string
  from: string
  until: string
  messages: number
  steps: { at: string; kind: string; reason: string; text: string | null; room: string | null }[]
  silence: { gate: string; reason: string; times: number }[]
  calls: number
  tokens: { input: number; output: number }
  usd: number
  /** Whether it ended early, so as not to cost more. */
  isCut: boolean
}>

/** What it thinks of saying by itself in each community, what became of it, and why it says nothing. */
export type ChatThoughtsAnswer = Versioned<{
  communities: {
    community: string
    thought: {
      id: string
      text: string
      room: string
      replyTo: string | null
      media: { kind: "image" | "video" | "gif"; prompt: string } | null
      reason: string
      createdAt: string
      updatedAt: string
      expiresAt: string
      revision: number
      calls: number
      sources: string[]
      hasReadWeb: boolean
      /** Whether it is being said now. */
      isLeaving: boolean
    } | null
    postsToday: number
    silence: { gate: string; reason: string; since: string } | null
    recent: { at: string; kind: string; what: string; reason: string; room: string | null }[]
  }[]
  /** Why there is nothing to tell, where settings say so. */
  note: string | null
}>

interface ChatCounts {
  messages: number
  calls: number
  replies: number
  silences: number
  usd: number
}

export type ChatStatsAnswer = Versioned<{
  since: string
  rooms: ({ room: string } & ChatCounts)[]
  total: ChatCounts
}>

/** Something that is read outside for chat, how reading goes, and how people took what came of it. */
interface ChatSourceJson {
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

export type ChatSourcesAnswer = Versioned<{
  sources: ChatSourceJson[]
  /** What the agent changed by itself, the newest first; `holds` if it can be taken back. */
  changes: {
    id: string
    at: string
    change: "added" | "removed"
    source: string
    community: string
    reason: string
    holds: boolean
  }[]
}>

export type ChatSourcesUndoAnswer = Versioned<{
  outcome: "undone"
  source: string
  community: string
  /** What the agent had done. */
  change: "added" | "removed"
}>

/** `rooms` is null where it is about all. */
export type ChatMuteAnswer = Versioned<{ outcome: "muted" | "unmuted"; rooms: string[] | null }>

export type StatusAnswer = Versioned<{
  daemon:
    | { running: false; version: string }
    | ({ running: true; since: string } & Omit<DaemonInfo, "startedAt">)
  status: Ambient["status"]
  /** Why it is as it is. */
  reason: string
  queue: AmbientAnswer["queue"]
  lastCycle: CycleJson | null
  nextWake: string | null
  pausedUntil: string | null
  /** Null where no model can be asked. */
  budget:
    | (Pick<BudgetAnswer, "pool" | "mayRun" | "nextAt" | "rule" | "reason"> & { windows: WindowShares[] })
    | null
  memory: {
    total: number
    active: number
    projects: number
    /** What agents noted and asked to hold, and waits for the person's word. */
    waiting: number
    /** Pairs of memories that contradict each other, or of which the newer may replace the older. */
    conflicts: number
    enabled: boolean
    storage: string
    place: string
    /** How search by meaning stands; null where search is by words alone. */
    embedding: { model: string; state: EmbedderStatus["state"]; reason: string | null } | null
    /** How many things were learned from sessions in the last day. */
    learnedToday: number
  }
  sessions: { skipped: SkippedJson[] }
  /** Permission requests that wait for the person. */
  inbox: { waiting: number; urgent: number }
  /** Null where no chat channel is switched on, or no daemon runs. */
  chat: ChatState | null
}>
