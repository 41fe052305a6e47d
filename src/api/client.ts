import { messageOf, UserError } from "../base/errors.ts"
import { newId, type Random } from "../base/random.ts"
import type { Imported } from "../memory/write/import-run.ts"
import { type Failure, noticeOf } from "./answers/answer.ts"
import { linesOf } from "./answers/lines.ts"
import { type Answered, type Ask, type Asking, isCutOff } from "./ask.ts"
import type {
  AddAnswer,
  AmbientAnswer,
  Asked,
  BudgetAnswer,
  ChangedAnswer,
  ChatAnswer,
  ChatMuteAnswer,
  ChatPolicyAnswer,
  ChatRehearseAnswer,
  ChatSourcesAnswer,
  ChatSourcesUndoAnswer,
  ChatStatsAnswer,
  ChatThoughtsAnswer,
  ChatWhyAnswer,
  CleanedTagsAnswer,
  ClustersAnswer,
  ConfigAnswer,
  ConfigDiffAnswer,
  ConfigWrittenAnswer,
  ConflictsAnswer,
  CycleAnswer,
  CycleChangesAnswer,
  CyclesAnswer,
  DaemonAnswer,
  DescribedTagAnswer,
  DoctorAnswer,
  DuplicatesAnswer,
  EditAnswer,
  EntryJson,
  ExtractedAnswer,
  FadingAnswer,
  GapsAnswer,
  GraphAnswer,
  HistoryAnswer,
  InboxAnswer,
  JournalAnswer,
  LearnedAnswer,
  ListAnswer,
  ModelsAnswer,
  NotedAnswer,
  OperationsAnswer,
  ProvenanceAnswer,
  PruneAnswer,
  PurgeAnswer,
  QueueAnswer,
  QueuedAnswer,
  RecallEndedAnswer,
  RecallPreviewAnswer,
  RefreshedAnswer,
  RequestAnswer,
  RetriedAnswer,
  RetriedSessionsAnswer,
  SearchAnswer,
  SessionAnswer,
  SessionSurfacedAnswer,
  SessionsAnswer,
  ShowAnswer,
  SimilarAnswer,
  SnapshotAnswer,
  SnapshotsAnswer,
  StatsAnswer,
  StatusAnswer,
  SurfacedAnswer,
  TagsAnswer,
  TestedAnswer,
  TodayAnswer,
  ToldAnswer,
  UndoAnswer,
  UsageAnswer,
  WebLinkAnswer,
  WhyAnswer,
} from "./contract.ts"
import { sessionHeader } from "./session-header.ts"

interface ClientNeeds {
  /** Goes to the daemon's socket, or straight into an app of this process. */
  fetch: Ask
  random: Random
  /** Who acts, for the journal: cli, mcp, … */
  actor: string
  /** The session of the agent that acts, where one does. */
  session?: string | undefined
  /** Hears what users should know beside an answer; each thing once. */
  onNotice?: (text: string) => void
}

interface ImportRequest {
  body: ReadableStream<Uint8Array>
  verbatim: boolean
  /** The folder it is asked for in; that project's configuration applies. */
  from?: string
  format?: Asked<"import">["format"]
  /** Where memories of other tools belong. */
  project?: string | undefined
  /** The folder of the file; if that is a project's, memories of other tools belong to it. */
  beside?: string | undefined
  onProgress(done: number): void
}

type Query = Record<string, unknown>

/** The typed client of the API. Every method throws a UserError when the API refuses. */
export type Client = ReturnType<typeof createClient>

/** Makes a client; where it leads is decided by its fetch. */
export function createClient(needs: ClientNeeds) {
  const heard = new Set<string>()
  const send = async (path: string, init?: Asking) => {
    const response = await sendTo(needs.fetch, path, init)
    const notice = noticeOf(response)
    if (notice !== undefined && !heard.has(notice)) needs.onNotice?.(notice)
    if (notice !== undefined) heard.add(notice)
    return response
  }
  const get = <T>(path: string, query: Query = {}) =>
    orAgain(async () => (await (await send(path + search(query))).json()) as T)
  const post = <T>(path: string, json: object, operation = newId(needs.random, "op")) => {
    const headers = { ...act(needs, operation), "content-type": "application/json" }
    const init = { method: "POST", headers, body: JSON.stringify(json) }
    return orAgain(async () => (await (await send(path, init)).json()) as T)
  }
  return {
    status: () => get<StatusAnswer>("/status"),
    /** The daemon itself; fails where none runs. */
    daemon: () => get<DaemonAnswer>("/daemon"),
    snapshots: () => get<SnapshotsAnswer>("/snapshots"),
    takeSnapshot: () => post<SnapshotAnswer>("/snapshots", {}),
    /** Give the same operation again to repeat an add whose answer was lost: it is done once. */
    add: (memory: Asked<"add">, operation?: string) => post<AddAnswer>("/memories", memory, operation),
    list: (query: Asked<"list">) => get<ListAnswer>("/memories", query),
    search: (query: Asked<"search">) => get<SearchAnswer>("/memories/search", query),
    similar: (id: string, query: Asked<"similar">) =>
      get<SimilarAnswer>(`/memories/${encodeURIComponent(id)}/similar`, query),
    show: (id: string) => get<ShowAnswer>(`/memories/${encodeURIComponent(id)}`),
    edit: (id: string, edit: Asked<"edit">, operation?: string) =>
      post<EditAnswer>(`/memories/${encodeURIComponent(id)}/edit`, edit, operation),
    forget: (ids: string[], operation?: string) =>
      post<ChangedAnswer>("/memories/forget", { ids }, operation),
    restore: (ids: string[], operation?: string) =>
      post<ChangedAnswer>("/memories/restore", { ids }, operation),
    tag: (asked: Asked<"tag">, operation?: string) => post<ChangedAnswer>("/memories/tag", asked, operation),
    link: (asked: Asked<"link">, operation?: string) =>
      post<ChangedAnswer>("/memories/link", asked, operation),
    rate: (asked: Asked<"rate">, operation?: string) =>
      post<ChangedAnswer>("/memories/rate", asked, operation),
    conflicts: (query: Asked<"conflicts">) => get<ConflictsAnswer>("/memories/conflicts", query),
    duplicates: () => get<DuplicatesAnswer>("/memories/duplicates"),
    resolve: (asked: Asked<"resolve">, operation?: string) =>
      post<ChangedAnswer>("/memories/resolve", asked, operation),
    /** The newest memories with their clusters and the edges between them. */
    graph: (query: Asked<"graph">) => get<GraphAnswer>("/memories/graph", query),
    /** Where a memory comes from, where it came up, and how far it was believed meanwhile. */
    provenance: (id: string) => get<ProvenanceAnswer>(`/memories/${encodeURIComponent(id)}/provenance`),
    /** What happened lately, and what needs the person. */
    today: (query: Asked<"today"> = {}) => get<TodayAnswer>("/today", query),
    config: () => get<ConfigAnswer>("/config"),
    /** What changed settings would do to the file; writes nothing. */
    configDiff: (asked: Asked<"configEdit">) => post<ConfigDiffAnswer>("/config/diff", asked),
    configWrite: (asked: Asked<"configWrite">) => post<ConfigWrittenAnswer>("/config", asked),
    /** Looks for problems; fails where no daemon runs. */
    doctor: () => get<DoctorAnswer>("/doctor"),
    /** A link that signs one browser in; fails where no daemon runs. */
    webLink: () => post<WebLinkAnswer>("/web/links", {}),
    /** What fades; changes nothing. */
    fading: (query: Asked<"fading">) => get<FadingAnswer>("/memories/fading", query),
    prune: (asked: Asked<"prune">, operation?: string) =>
      post<PruneAnswer>("/memories/prune", asked, operation),
    /** Deletes for good; without `confirmed` it only tells how much. */
    purge: (asked: Asked<"purge">, operation?: string) =>
      post<PurgeAnswer>("/memories/purge", asked, operation),
    history: (id: string) => get<HistoryAnswer>(`/memories/${encodeURIComponent(id)}/history`),
    why: (id: string, query: Asked<"why"> = {}) =>
      get<WhyAnswer>(`/memories/${encodeURIComponent(id)}/why`, query),
    stats: () => get<StatsAnswer>("/memories/stats"),
    clusters: (query: Asked<"clusters">) => get<ClustersAnswer>("/clusters", query),
    refreshClusters: (where: Asked<"refreshClusters">) => post<RefreshedAnswer>("/clusters/refresh", where),
    tags: (query: Asked<"tags">) => get<TagsAnswer>("/tags", query),
    describeTag: (how: Asked<"describeTag">) => post<DescribedTagAnswer>("/tags/describe", how),
    cleanUpTags: (how: Asked<"cleanUpTags">) => post<CleanedTagsAnswer>("/tags/clean-up", how),
    /** Reads what is unread of a session, or of all that have something unread. */
    extract: (how: Asked<"extract">, session?: string) =>
      post<ExtractedAnswer>(
        session === undefined ? "/sessions/extract" : `/sessions/${encodeURIComponent(session)}/extract`,
        how,
      ),
    journal: (query: Asked<"journal">) => get<JournalAnswer>("/journal", query),
    operations: (query: Asked<"operations">) => get<OperationsAnswer>("/journal/operations", query),
    sessions: (query: Asked<"sessions"> = {}) => get<SessionsAnswer>("/sessions", query),
    /** Has skipped transcripts read again. */
    retrySessions: (which: Asked<"retrySessions">) => post<RetriedSessionsAnswer>("/sessions/retry", which),
    session: (id: string, query: Asked<"session"> = {}) =>
      get<SessionAnswer>(`/sessions/${encodeURIComponent(id)}`, query),
    sessionSurfaced: (id: string) =>
      get<SessionSurfacedAnswer>(`/sessions/${encodeURIComponent(id)}/surfaced`),
    models: () => get<ModelsAnswer>("/models"),
    /** Lets what was stopped be asked again. */
    retryModels: () => post<RetriedAnswer>("/models/retry", {}),
    /** Asks a job's model something small, to see whether it works. */
    testModel: (asked: Asked<"testModel">) => post<TestedAnswer>("/models/test", asked),
    usage: (query: Asked<"usage">) => get<UsageAnswer>("/usage", query),
    budget: () => get<BudgetAnswer>("/budget"),
    learnLimits: (told: Asked<"learnLimits">) => post<LearnedAnswer>("/limits", told),
    ambient: () => get<AmbientAnswer>("/ambient"),
    pause: (asked: Asked<"pause">) => post<AmbientAnswer>("/ambient/pause", asked),
    resume: () => post<AmbientAnswer>("/ambient/resume", {}),
    wake: () => post<AmbientAnswer>("/ambient/wake", {}),
    trust: (asked: Asked<"trust">) => post<AmbientAnswer>("/ambient/trust", asked),
    chat: () => get<ChatAnswer>("/chat"),
    chatPolicy: (query: Asked<"chatPolicy">) => get<ChatPolicyAnswer>("/chat/policy", query),
    chatThoughts: (query: Asked<"chatThoughts"> = {}) => get<ChatThoughtsAnswer>("/chat/thoughts", query),
    chatWhy: (query: Asked<"chatWhy">) => get<ChatWhyAnswer>("/chat/why", query),
    chatStats: (query: Asked<"chatStats"> = {}) => get<ChatStatsAnswer>("/chat/stats", query),
    chatSources: (query: Asked<"chatSources"> = {}) => get<ChatSourcesAnswer>("/chat/sources", query),
    chatSourcesUndo: (asked: Asked<"chatSourcesUndo">) =>
      post<ChatSourcesUndoAnswer>("/chat/sources/undo", asked),
    chatRehearse: (asked: Asked<"chatRehearse">) => post<ChatRehearseAnswer>("/chat/rehearse", asked),
    chatMute: (asked: Asked<"chatMute">) => post<ChatMuteAnswer>("/chat/mute", asked),
    inbox: (query: Asked<"inbox"> = {}) => get<InboxAnswer>("/inbox", query),
    request: (id: string) => get<RequestAnswer>(`/inbox/${encodeURIComponent(id)}`),
    decide: (id: string, asked: Asked<"decide">) =>
      post<RequestAnswer>(`/inbox/${encodeURIComponent(id)}/decide`, asked),
    queue: () => get<QueueAnswer>("/queue"),
    queueAdd: (asked: Asked<"queueAdd">) => post<QueuedAnswer>("/queue", asked),
    queueCancel: (id: string) => post<QueuedAnswer>(`/queue/${encodeURIComponent(id)}/cancel`, {}),
    cycles: (query: Asked<"cycles">) => get<CyclesAnswer>("/cycles", query),
    judgeCycle: (id: string, asked: Asked<"judgeCycle">) =>
      post<CycleAnswer>(`/cycles/${encodeURIComponent(id)}/verdict`, asked),
    cycle: (id: string) => get<CycleAnswer>(`/cycles/${encodeURIComponent(id)}`),
    /** What a cycle changed in the graph. */
    cycleChanges: (id: string) => get<CycleChangesAnswer>(`/cycles/${encodeURIComponent(id)}/changes`),
    /** A session begins or goes on: what its project should know. */
    recallStart: (asked: Asked<"recallStart">) => post<SurfacedAnswer>("/recall/start", asked),
    /** Something happened in a session: what was prepared for it. */
    recallTurn: (asked: Asked<"recallTurn">) => post<SurfacedAnswer>("/recall/turn", asked),
    recallEnd: (asked: Asked<"recallEnd">) => post<RecallEndedAnswer>("/recall/end", asked),
    /** What would be brought up for a text, and why; changes nothing. */
    tellSession: (asked: Asked<"tellSession">) => post<ToldAnswer>("/sessions/tell", asked),
    recallPreview: (asked: Asked<"recallPreview">) => post<RecallPreviewAnswer>("/recall/preview", asked),
    gaps: (query: Asked<"gaps">) => get<GapsAnswer>("/recall/gaps", query),
    undo: (operation?: string) =>
      post<UndoAnswer>("/journal/undo", operation === undefined ? {} : { operation }),
    /** Tells the journal that a sign-in or key was saved or removed; the secret itself goes nowhere. */
    noteCredential: (change: Asked<"noteCredential">) => post<NotedAnswer>("/credentials/noted", change),
    /** The export as it comes. */
    export: async (format: "json" | "markdown", project?: string) =>
      bodyOf(await send(`/memories/export${search({ format, project })}`, { streams: true })),
    /** Sends a file's bytes and tells how far it is. */
    async import({ body, onProgress, ...options }: ImportRequest) {
      const operation = newId(needs.random, "op")
      const headers = act(needs, operation)
      const init = { method: "POST", body, duplex: "half", headers, streams: true }
      try {
        const query = search(options)
        const response = await send(`/memories/import${query}`, init as Asking)
        return await importResult(response, operation, onProgress)
      } catch (error) {
        throw isCutOff(error) ? brokenOff(operation, error) : error
      }
    },
    /** Journal entries as they are written, until the signal aborts or the daemon stops. */
    async *follow(query: Asked<"follow">, signal: AbortSignal): AsyncGenerator<EntryJson> {
      const response = await send(`/journal/stream${search(query)}`, { signal, streams: true })
      try {
        for await (const line of linesOf(response.body)) {
          if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length))
        }
      } catch (error) {
        // A daemon that dies ends the stream like one that stops.
        if (!isCutOff(error)) throw error
      }
    },
  }
}

/** Headers that name the actor, and let the same act be sent twice without being done twice. */
function act(needs: ClientNeeds, operation: string): Record<string, string> {
  const session = needs.session === undefined ? {} : { [sessionHeader]: needs.session }
  return { "x-reverie-operation": operation, "x-reverie-actor": needs.actor, ...session }
}

/** Asks a second time when the answer was cut off: the operation id makes that safe. */
async function orAgain<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isCutOff(error)) throw error
    return ask()
  }
}

async function sendTo(fetch: ClientNeeds["fetch"], path: string, init?: Asking): Promise<Answered> {
  const response = await fetch(`http://reverie/v1${path}`, init)
  if (response.ok) return response
  throw await failureFrom(response)
}

function search(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return text === "" ? "" : `?${text}`
}

function bodyOf(response: Answered): ReadableStream<Uint8Array> {
  if (response.body) return response.body
  throw new UserError("failed", "The daemon answered with nothing.")
}

async function importResult(
  response: Answered,
  operation: string,
  onProgress: (done: number) => void,
): Promise<Imported> {
  for await (const line of linesOf(response.body)) {
    const said: { done?: number; result?: Imported } & Partial<Failure> = JSON.parse(line)
    if (said.error) throw new UserError(said.error.kind, said.error.message)
    if (said.result) return said.result
    onProgress(said.done ?? 0)
  }
  throw brokenOff(operation)
}

function brokenOff(operation: string, cause?: unknown): UserError {
  const advice = `Import the file again to go on, or take it back with \`reverie undo ${operation}\`.`
  return new UserError(
    "failed",
    `The daemon ended in the middle; what was imported until then is kept, if anything was. ${advice}`,
    { cause },
  )
}

async function failureFrom(response: Answered): Promise<UserError> {
  try {
    const { error } = (await response.json()) as Failure
    return new UserError(error.kind, error.message)
  } catch (error) {
    return new UserError("failed", `The daemon answered ${response.status} (${messageOf(error)}).`)
  }
}
