import { z } from "zod"
import { trustLevels } from "../../attention/trust.ts"
import { parseTime } from "../../base/clock.ts"
import { chatPlatforms } from "../../chat/channels/platforms.ts"
import { mediaKeyNames } from "../../chat/media/keyed-media.ts"
import { jobs } from "../../llm/choice/catalog.ts"
import { accountIds } from "../../llm/signin/account-ids.ts"
import {
  conflictChoices,
  importFormats,
  memoryStatuses,
  memoryTypes,
  ratings,
  userEdgeKinds,
} from "../../memory/model/kinds.ts"
import { foldersSchema, newMemorySchema } from "../../memory/model/memory.ts"
import { editSchema } from "../../memory/write/change/edit.ts"
import { sessionStatuses } from "../../sessions/session.ts"

/** A boolean in a query string. */
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

/** A session as its program names it. */
const session = z.object({
  id: z.string().min(1).max(500),
  tool: z.string().min(1).max(50),
  /** A folder or a name. */
  project: z.string().min(1).max(4000).optional(),
})
/** At most this many characters of one text are read. */
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

/** The input of each call; a call that is not here takes none. */
export const requests = {
  /** Without a type, the wording decides. */
  add: newMemorySchema.extend({ type: z.enum(memoryTypes).optional() }),
  edit: editSchema,
  forget: z.object({ ids }),
  restore: z.object({ ids }),
  tag: z.object({ ids, add: tags, remove: tags, from: foldersSchema }),
  link: z.object({
    source: id,
    kind: z.enum(userEdgeKinds),
    target: id,
    weight: z.number().min(0).max(1).optional(),
    /** Removes the link instead. */
    remove: z.boolean().default(false),
  }),
  rate: z.object({ id, rating: z.enum(ratings) }),
  /** `memory` selects its conflicts only. */
  conflicts: z.object({ ...viewer, memory: id.optional(), limit: limit(100, 1000) }),
  resolve: z.object({ id, other: id.optional(), keep: z.enum(conflictChoices) }),
  /** The newest memories and the edges between them. */
  graph: z.object({ project: viewer.project, allProjects: viewer.allProjects, limit: limit(5000, 100_000) }),
  today: z.object({ hours: z.coerce.number().int().min(1).max(744).default(24) }),
  /** Settings to change, with values as on the command line. */
  configDiff: z.object({ changes: configChanges }),
  /** `digest` is of the file that the diff was made from. */
  configWrite: z.object({ changes: configChanges, digest: z.string().length(64) }),
  fading: z.object({ limit: limit(50, 1000) }),
  prune: z.object({ limit: z.int().min(1).max(1000).default(200) }),
  purge: z.object({
    choice: z.union(
      [
        z.strictObject({ ids }),
        z.strictObject({ forgotten: z.literal(true) }),
        z.strictObject({ project: z.string().min(1) }),
        z.strictObject({ all: z.literal(true) }),
      ],
      'must be one of {"ids":[…]}, {"forgotten":true}, {"project":"…"}, {"all":true}',
    ),
    /** Without it, the call only counts. */
    confirmed: z.boolean().default(false),
    /** Also deletes the snapshots. */
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
  /** Without a channel, all channels. */
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
    /** true: sure results and the best few others; strict: sure results only; false: the whole ranked list. */
    gate: z
      .enum(["true", "false", "strict"])
      .default("true")
      .transform((text) => (text === "strict" ? text : text === "true")),
    /** The last word may be incomplete; it is completed to the most common known word. */
    typing: yes.default(false),
    /** The time of the question, if not now: ISO text or milliseconds since 1970. */
    askedAt: z
      .string()
      .transform((text) => (/^\d+$/.test(text) ? Number(text) : parseTime(text)))
      .pipe(z.int("must be a time such as 2026-11-18T12:00:00Z"))
      .optional(),
    /** Only memories of this audience, such as a chat community. */
    onlyAudience: z.string().min(1).max(200).optional(),
    /** The audiences of the asker; one, or a list with commas. */
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
    /** At most this many members of each cluster. */
    members: z.coerce.number().int().min(0).max(100).default(3),
  }),
  refreshClusters: z.object({ project: z.string().min(1).optional(), allProjects: z.boolean().optional() }),
  tellSession: z.object({ session, happening }),
  similar: z.object({ ...viewer, limit: limit(10, 200) }),
  tags: z.object(viewer),
  describeTag: z.object({
    tag: z.string().trim().min(1).max(100),
    description: z.string().max(2000),
    from: foldersSchema,
  }),
  cleanUpTags: z.object({ dryRun: z.boolean().default(false) }),
  sessions: z.object({
    tool: z.string().min(1).max(50).optional(),
    project: viewer.project,
    status: z.enum(sessionStatuses).optional(),
    limit: limit(50, 1000),
  }),
  session: z.object({ from: z.coerce.number().int().min(0).default(0), limit: limit(1000, 10_000) }),
  /** The skipped transcript to read again; without one, all. */
  retrySessions: z.object({ place: z.string().min(1).max(4000).optional() }),
  extract: extraction,
  extractSession: extraction,
  noteCredential: z.object({
    account: z.enum([...accountIds, ...chatPlatforms, ...mediaKeyNames]),
    change: z.enum(["saved", "removed"]),
  }),
  testModel: z.object({ job: z.enum(jobs) }),
  usage: z.object({
    /** How many days back, today included. */
    days: z.coerce.number().int().min(1).max(366).default(7),
    /** Minutes that local time is ahead of UTC; days are local days. */
    zone: z.coerce.number().int().min(-900).max(900).default(0),
  }),
  /** Strict, because without minutes it pauses until the user resumes it. */
  pause: z.strictObject({ minutes: z.number().min(1).max(525_600).optional() }),
  inbox: z.object({ all: yes.default(false) }),
  /** The digest of the request that the user saw; the decision applies to nothing else. */
  decide: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("approve"), input: z.record(z.string(), z.unknown()).optional() }),
      z.object({ kind: z.literal("deny"), text: z.string().max(4000).optional() }),
      z.object({ kind: z.literal("respond"), text: z.string().min(1).max(4000) }),
    ])
    .and(z.object({ digest: z.string().length(64), from: z.enum(["cli", "tui", "web"]).optional() })),
  /** Null removes the user's setting. */
  trust: z.object({ level: z.enum(trustLevels).nullable() }),
  queueAdd: z.object({
    context: z.string().trim().min(1).max(2000),
    minutes: z.number().min(0).max(525_600).default(0),
    priority: z.enum(["low", "normal", "high"]).default("normal"),
    project: z.string().min(1).optional(),
    from: foldersSchema,
  }),
  cycles: z.object({ limit: limit(20, 500) }),
  judgeCycle: z.object({
    verdict: z.enum(["approved", "rejected"]),
    reason: z.string().trim().min(1).max(1000).optional(),
    from: foldersSchema,
  }),
  /** What a tool reports about limits, unchanged. */
  learnLimits: z.object({ tool: z.literal("claude-code"), input: z.unknown() }),
  recallStart: z.object({ session }),
  recallTurn: z.object({
    session,
    happening,
    /** Only records it: the agent cannot be shown anything now. */
    observe: z.boolean().default(false),
  }),
  recallEnd: z.object({ session }),
  recallPreview: z.object({ session, text: z.string().min(1).max(100_000) }),
  gaps: z.object({ project: viewer.project, limit: limit(50, 1000) }),
  undo: z.object({ operation: z.string().min(1).optional() }),
}

/** The input of a call as a client passes it. */
export type RequestInput<Name extends keyof typeof requests> = {
  [Key in keyof z.input<(typeof requests)[Name]>]: z.input<(typeof requests)[Name]>[Key]
}
