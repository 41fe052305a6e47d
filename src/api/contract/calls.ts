/** The header that names the session of an agent. */
export const sessionHeader = "x-reverie-session"

/**
 * Every call of the API: its name, method and path. `requests.ts` has the inputs, `answers.ts` the answers. The client has
 * a method for each call, the daemon a route.
 */
export const calls = {
  status: "GET /status",
  /** The daemon itself; fails where none runs. */
  daemon: "GET /daemon",
  /** What happened lately, and what waits for the user. */
  today: "GET /today",
  /** Checks for problems; fails where no daemon runs. */
  doctor: "GET /doctor",
  /** A link that signs one browser in; fails where no daemon runs. */
  webLink: "POST /web/links",
  config: "GET /config",
  /** What changed settings would do to the file; writes nothing. */
  configDiff: "POST /config/diff",
  configWrite: "POST /config",
  snapshots: "GET /snapshots",
  takeSnapshot: "POST /snapshots",
  /** Records in the journal that a sign-in or key was saved or removed, without the secret. */
  noteCredential: "POST /credentials/noted",

  add: "POST /memories",
  list: "GET /memories",
  search: "GET /memories/search",
  stats: "GET /memories/stats",
  conflicts: "GET /memories/conflicts",
  duplicates: "GET /memories/duplicates",
  /** Memories that fade; changes nothing. */
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
  /** Deletes for good; without `confirmed` it only counts. */
  purge: "POST /memories/purge",
  show: "GET /memories/:id",
  edit: "POST /memories/:id/edit",
  similar: "GET /memories/:id/similar",
  history: "GET /memories/:id/history",
  why: "GET /memories/:id/why",
  /** The session a memory comes from, where it came up, and its confidence over time. */
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
  /** Reads skipped transcripts again. */
  retrySessions: "POST /sessions/retry",
  tellSession: "POST /sessions/tell",
  /** Extracts from all sessions with unread messages. */
  extract: "POST /sessions/extract",
  extractSession: "POST /sessions/:id/extract",
  /** A session starts or resumes; answers with its brief. */
  recallStart: "POST /recall/start",
  /** Something happened in a session; answers with the memories for it. */
  recallTurn: "POST /recall/turn",
  recallEnd: "POST /recall/end",
  /** The memories that a text would bring up, and why; changes nothing. */
  recallPreview: "POST /recall/preview",
  gaps: "GET /recall/gaps",

  models: "GET /models",
  /** Uses stopped providers again. */
  retryModels: "POST /models/retry",
  /** Sends a short test prompt to a job's model. */
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

/** A call's method, and its path after /v1. */
export function callOf(name: CallName): { method: string; path: string } {
  const [method = "", path = ""] = calls[name].split(" ")
  return { method, path }
}
