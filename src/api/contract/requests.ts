import { z } from "zod"
import { trustLevels } from "../../attention/trust.ts"
import { parseTime } from "../../base/clock.ts"
import { chatPlatforms } from "../../chat/channels/platforms.ts"
import { keyedMedia } from "../../chat/media/keyed-media.ts"
import { jobs } from "../../llm/choice/catalog.ts"
import { accountIds } from "../../llm/signin/account-ids.ts"
import {
  importFormats,
  keeps,
  memoryStatuses,
  memoryTypes,
  personalKinds,
  ratings,
} from "../../memory/model/kinds.ts"
import { newMemorySchema, saidFrom } from "../../memory/model/memory.ts"
import { editSchema } from "../../memory/write/change/edit.ts"
import { sessionStatuses } from "../../sessions/session.ts"

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

const extraction = z.object({ dryRun: z.boolean().default(false) })

/** What may be asked with a call, by its name; a call that is not here takes nothing. */
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
  configDiff: z.object({ changes: configChanges }),
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
  extract: extraction,
  extractSession: extraction,
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
