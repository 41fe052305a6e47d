/**
 * Every call of the API by name: how it is sent and where. What may be asked with it stands in `requests.ts`, what is
 * answered in `answers.ts`; the client has a method for each, the daemon a route.
 */
export const calls = {
  status: "GET /status",
  /** The daemon itself; fails where none runs. */
  daemon: "GET /daemon",
  /** What happened lately, and what needs the person. */
  today: "GET /today",
  /** Looks for problems; fails where no daemon runs. */
  doctor: "GET /doctor",
  /** A link that signs one browser in; fails where no daemon runs. */
  webLink: "POST /web/links",
  config: "GET /config",
  /** What changed settings would do to the file; writes nothing. */
  configDiff: "POST /config/diff",
  configWrite: "POST /config",
  snapshots: "GET /snapshots",
  takeSnapshot: "POST /snapshots",
  /** Tells the journal that a sign-in or key was saved or removed; the secret itself goes nowhere. */
  noteCredential: "POST /credentials/noted",

  add: "POST /memories",
  list: "GET /memories",
  search: "GET /memories/search",
  stats: "GET /memories/stats",
  conflicts: "GET /memories/conflicts",
  duplicates: "GET /memories/duplicates",
  /** What fades; changes nothing. */
  fading: "GET /memories/fading",
  /** The newest memories with their clusters and the edges between them. */
  graph: "GET /memories/graph",
  forget: "POST /memories/forget",
  restore: "POST /memories/restore",
  tag: "POST /memories/tag",
  link: "POST /memories/link",
  rate: "POST /memories/rate",
  resolve: "POST /memories/resolve",
  prune: "POST /memories/prune",
  /** Deletes for good; without `confirmed` it only tells how much. */
  purge: "POST /memories/purge",
  show: "GET /memories/:id",
  edit: "POST /memories/:id/edit",
  similar: "GET /memories/:id/similar",
  history: "GET /memories/:id/history",
  why: "GET /memories/:id/why",
  /** Where a memory comes from, where it came up, and how far it was believed meanwhile. */
  provenance: "GET /memories/:id/provenance",
  clusters: "GET /clusters",
  refreshClusters: "POST /clusters/refresh",
  tags: "GET /tags",
  describeTag: "POST /tags/describe",
  cleanUpTags: "POST /tags/clean-up",

  journal: "GET /journal",
  operations: "GET /journal/operations",
  undo: "POST /journal/undo",

  sessions: "GET /sessions",
  session: "GET /sessions/:id",
  sessionSurfaced: "GET /sessions/:id/surfaced",
  /** Has skipped transcripts read again. */
  retrySessions: "POST /sessions/retry",
  tellSession: "POST /sessions/tell",
  /** Reads what is unread of all sessions that have something unread. */
  extract: "POST /sessions/extract",
  extractSession: "POST /sessions/:id/extract",
  /** A session begins or goes on: what its project should know. */
  recallStart: "POST /recall/start",
  /** Something happened in a session: what was prepared for it. */
  recallTurn: "POST /recall/turn",
  recallEnd: "POST /recall/end",
  /** What would be brought up for a text, and why; changes nothing. */
  recallPreview: "POST /recall/preview",
  gaps: "GET /recall/gaps",

  models: "GET /models",
  /** Lets what was stopped be asked again. */
  retryModels: "POST /models/retry",
  /** Asks a job's model something small, to see whether it works. */
  testModel: "POST /models/test",
  usage: "GET /usage",
  budget: "GET /budget",
  learnLimits: "POST /limits",

  ambient: "GET /ambient",
  pause: "POST /ambient/pause",
  resume: "POST /ambient/resume",
  wake: "POST /ambient/wake",
  trust: "POST /ambient/trust",
  queue: "GET /queue",
  queueAdd: "POST /queue",
  queueCancel: "POST /queue/:id/cancel",
  cycles: "GET /cycles",
  cycle: "GET /cycles/:id",
  /** What a cycle changed in the graph. */
  cycleChanges: "GET /cycles/:id/changes",
  judgeCycle: "POST /cycles/:id/verdict",
  inbox: "GET /inbox",
  request: "GET /inbox/:id",
  decide: "POST /inbox/:id/decide",

  chat: "GET /chat",
  chatPolicy: "GET /chat/policy",
  chatWhy: "GET /chat/why",
  chatThoughts: "GET /chat/thoughts",
  chatStats: "GET /chat/stats",
  chatSources: "GET /chat/sources",
  chatSourcesUndo: "POST /chat/sources/undo",
  chatRehearse: "POST /chat/rehearse",
  chatMute: "POST /chat/mute",
} as const

export type CallName = keyof typeof calls

/** A call's method and its path behind /v1. */
export function callOf(name: CallName): { method: string; path: string } {
  const [method = "", path = ""] = calls[name].split(" ")
  return { method, path }
}
