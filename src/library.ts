import type { z } from "zod"
import { startEmbedding } from "./activities/embedding.ts"
import { openOwnSessions, withOwnSessions } from "./activities/read-sessions/own-sessions.ts"
import { type Moment, systemClock } from "./base/clock.ts"
import { UserError } from "./base/errors.ts"
import { type Log, silentLog } from "./base/log.ts"
import { newId, systemRandom } from "./base/random.ts"
import { readEnvironment } from "./config/environment.ts"
import { loadInstall } from "./config/install.ts"
import { loadConfig } from "./config/load.ts"
import { pathsFor } from "./config/paths.ts"
import { withSettings } from "./config/with-settings.ts"
import type { Embedder } from "./embedding/embedder.ts"
import { guardEmbedder } from "./embedding/guard.ts"
import {
  gardenSchema,
  manySchema,
  operationSchema,
  optionsSchema,
  questionSchema,
  requireInput,
  requireMany,
  sessionSchema,
  turnSchema,
} from "./library-input.ts"
import { type PresentedHit, presentHit } from "./memory/find/present-hit.ts"
import { retrieve } from "./memory/find/retrieve.ts"
import type { GardenReport } from "./memory/garden/garden.ts"
import { runGarden } from "./memory/garden/run-garden.ts"
import { findDueClusters, memoryWorks } from "./memory/garden/works.ts"
import { undo } from "./memory/history/undo.ts"
import { createLossBudget } from "./memory/model/agents/losses.ts"
import type { MemoryScope, MemorySource, MemoryType } from "./memory/model/kinds.ts"
import { newMemorySchema } from "./memory/model/memory.ts"
import { exportJson } from "./memory/transfer/export.ts"
import { emptyTally, type ImportSummary } from "./memory/write/import-run.ts"
import { type Remembered, remember } from "./memory/write/remember.ts"
import { type ImportLine, rememberAll } from "./memory/write/remember-all.ts"
import { storedVectorLength } from "./memory/write/vectors.ts"
import type { LineOutcome } from "./memory/write/write-lines.ts"
import { type DownloadProgress, openParts, type Parts } from "./parts.ts"
import { openRecall } from "./recall/open-recall.ts"
import type { Recall, RecallSession, SessionEvent, SurfacedMemory } from "./recall/types.ts"
import { appendEntry } from "./storage/journal.ts"

/** Options of `openMemory`. All are optional. */
export interface MemoryOptions {
  /** The folder for configuration, data and state; by default the user's own installation. */
  home?: string
  /** A PostgreSQL database instead of the embedded SQLite file: postgres://USER@HOST/DATABASE. */
  url?: string
  /** Settings that override the configuration file, as in config.toml: { embedding: { model: "gte-small" } }. */
  settings?: Record<string, Record<string, unknown>>
  /** Your own embedder instead of the configured one. */
  embedder?: Embedder
  /** The actor in journal entries; by default "library". */
  actor?: string
  /** Called with the progress while the embedding model is downloaded, once, on first use. */
  onDownload?(progress: DownloadProgress): void
  /** Receives warnings; by default they are dropped. */
  log?: Log
}

/** A memory to save. Only `content` is required. Times are milliseconds since 1970 or ISO text. */
export interface NewMemory {
  /** A text longer than `memory.longest_text` is split into parts, which are found one by one and forgotten together. */
  content: string
  type?: MemoryType
  /** By default "project" if a project is given, else "global". */
  scope?: MemoryScope
  /** A folder or a name. All worktrees and clones of a repository are one project. */
  project?: string
  /** The folders it was written in. Their projects' configuration and .env files apply, whatever its own project. */
  from?: string | string[]
  tags?: string[]
  source?: MemorySource
  /**
   * Your own id for it. The same id from the same actor for the same project, session and audience updates that memory:
   * another text edits it, the same text changes nothing.
   */
  sourceId?: string
  sessionId?: string
  messageIndex?: number
  messageEnd?: number
  createdAt?: number | string
  confidence?: number
  /** Only members of this audience see the memory. */
  audience?: string
  /** Words that return it whenever they occur in a question; * is a wildcard. */
  triggers?: string[]
  /** Stores it unchanged: it is never merged with other memories and never replaces one. */
  verbatim?: boolean
  files?: string[]
  context?: string
  reason?: string
  steps?: string[]
  prerequisites?: string[]
  warnings?: string[]
  season?: string
  recencyWeight?: number
}

/** A search. */
export interface MemoryQuestion {
  query: string
  /** The maximum number of memories; by default 10. */
  limit?: number
  /** A folder or a name; its memories are searched in addition to the global ones. */
  project?: string
  allProjects?: boolean
  session?: string
  /** The audiences that the asker belongs to. */
  audiences?: readonly string[]
  /** When it is asked, by default now; it resolves "last week". A Date, ISO text or milliseconds since 1970. */
  askedAt?: Moment
  /**
   * True, the default, returns confident hits, followed by up to five others; "strict" returns confident hits only; false
   * returns the ranked list without a gate.
   */
  gate?: boolean | "strict"
}

/** A hit. */
export type FoundMemory = PresentedHit

/** Options of `rememberAll`. */
export interface RememberAllOptions {
  /** Stores all unchanged: they are never merged with other memories and never replace one. */
  verbatim?: boolean
  onProgress?(done: number): void
  /** Called with the outcome of each memory, in order, instead of the list `outcomes`, which may be too long. */
  onOutcome?(outcome: LineOutcome): void | Promise<void>
}

/** The result of `rememberAll`. */
export interface RememberedAll extends ImportSummary {
  operation: string
  /** The outcome of each memory, in order, with its id and sourceId; empty if `onOutcome` was given. */
  outcomes: LineOutcome[]
}

/** The result of a search; `abstained` means that no hit is confident. */
export interface MemoryAnswer {
  memories: FoundMemory[]
  abstained: boolean
  /** The likelihood, 0 to 1, that there is an answer at all. */
  confidence: number
  /** Why search is not possible, such as when memory is turned off. */
  reason?: string
}

/** A conversation of your agent or bot, to which memories are added automatically. */
export interface SessionOptions {
  /** A stable id; the session's state outlives the process. */
  id: string
  /** A folder or a name. */
  project?: string
  /** The agent or bot. */
  tool?: string
}

/** A message or a tool call in a session. */
export interface SessionTurn {
  role: "user" | "assistant" | "tool"
  text: string
  /** The name of the tool, and whether it failed. */
  tool?: string
  isError?: boolean
  /** The files it is about. */
  files?: readonly string[]
}

/** The memories to show now, usually none. */
export interface SessionAnswer {
  surfaced: SurfacedMemory[]
  /** The same as a short text for a model's context, fenced as data. */
  text: string
}

/** A session. Answers come immediately, because they were prepared during the previous turn. */
export interface MemorySession {
  /** Call it at the start, or after the context was shortened. Returns the brief of the project. */
  start(): Promise<SessionAnswer>
  /** Records a turn and returns the prepared memories; none after the assistant's turn. */
  turn(turn: SessionTurn): Promise<SessionAnswer>
  end(): Promise<void>
}

/** The result of `garden`. `undo(operation)` undoes one change; start with the last. */
export type GardenReceipt = GardenReport & { seconds: number }

/** An open memory. All results are plain data. */
export interface MemoryLibrary {
  /** Saves one memory. To retry after a lost response, pass the same operation id: it is saved once. */
  remember(memory: NewMemory, operation?: string): Promise<Remembered>
  /** Saves many memories fast, in one operation that `undo` can undo. */
  rememberAll(
    memories: AsyncIterable<NewMemory> | Iterable<NewMemory>,
    options?: RememberAllOptions,
  ): Promise<RememberedAll>
  /** Finds the memories that matter for a question. */
  retrieve(question: MemoryQuestion): Promise<MemoryAnswer>
  /** Opens a session to which memories are added automatically. */
  session(options: SessionOptions): MemorySession
  /**
   * Maintains the whole memory by rules, without a model: merges duplicates, resolves contradictions, archives expired
   * memories, cleans up tags. `limit` is the maximum number of changes; call it again while `isDone` is false.
   */
  garden(options?: { limit?: number }): Promise<GardenReceipt>
  /** Undoes an operation; by default the newest. */
  undo(operation?: string): Promise<{ undid: string; operation: string; changes: number }>
  /** Writes everything as lossless JSON, in pieces. */
  export(write: (text: string) => Promise<void> | void): Promise<void>
  close(): Promise<void>
}

/** Opens a memory in this process, with or without a running daemon. */
export async function openMemory(options: MemoryOptions = {}): Promise<MemoryLibrary> {
  requireInput(optionsSchema, options)
  const env = { ...readEnvironment(), ...definedOnly({ home: options.home, databaseUrl: options.url }) }
  const paths = pathsFor(env)
  const config = withSettings(loadConfig(env, paths, options.url && "url"), options.settings)
  const log = options.log ?? silentLog
  const host = { env, paths, clock: systemClock, random: systemRandom }
  const parts = await openParts({ ...host, config, log, onProgress: options.onDownload })
  const stored = { storedLength: (model: string) => storedVectorLength(parts.db, model) }
  const own = options.embedder && guardEmbedder({ ...host, ...stored }, options.embedder)
  const embedder = own ?? parts.embedder
  const needs = { ...host, ...parts, config, log, embedder }
  const stopEmbedding = startEmbedding(needs)
  const install = loadInstall(paths.installFile, host.random).id
  const recall = withOwnSessions(openRecall({ ...needs, install }), openOwnSessions({ ...needs, install }))
  let closing: Promise<void> | undefined
  const requireOpen = () => {
    if (closing) throw new UserError("usage", "This memory has been closed; open it again with openMemory().")
  }
  const close = async () => {
    await recall.close()
    await stopEmbedding()
    await parts.close()
  }
  return {
    ...methods({ ...needs, requireOpen }, options.actor ?? "library"),
    session(named) {
      requireOpen()
      return sessionOf({ recall, requireOpen }, requireInput(sessionSchema, named))
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}

interface SessionNeeds {
  recall: Recall
  /** Throws once the memory is closed. */
  requireOpen(): void
}

function sessionOf(
  { recall, requireOpen }: SessionNeeds,
  { id, project, tool = "reverie" }: z.output<typeof sessionSchema>,
): MemorySession {
  const session: RecallSession = { id: id.includes(":") ? id : `${tool}:${id}`, tool, project }
  const answer = ({ memories, text }: Awaited<ReturnType<Recall["start"]>>): SessionAnswer => ({
    surfaced: [...memories],
    text,
  })
  return {
    async start() {
      requireOpen()
      return answer(await recall.start(session))
    },
    async turn(turn) {
      requireOpen()
      return answer(await recall.turn(session, toHappening(requireInput(turnSchema, turn))))
    },
    async end() {
      requireOpen()
      return recall.end(session)
    },
  }
}

function toHappening(turn: z.output<typeof turnSchema>): SessionEvent {
  const { role, text, tool = "tool", isError = false, files } = turn
  if (role === "user") return { kind: "prompt", text }
  if (role === "assistant") return { kind: "output", text, files }
  return { kind: "tool", name: tool, text, isError, files }
}

/** The defined values only. */
function definedOnly<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

type Needs = Parts & Parameters<typeof remember>[0] & Pick<SessionNeeds, "requireOpen">

function methods(needs: Needs, actor: string): Omit<MemoryLibrary, "close" | "session"> {
  const act = (given?: string) => {
    const { operation = newId(needs.random, "op") } = requireInput(operationSchema, { operation: given })
    return { operation, actor }
  }
  return {
    async remember(memory, operation) {
      needs.requireOpen()
      return remember(needs, requireInput(newMemorySchema, memory), act(operation))
    },
    async rememberAll(memories, options = {}) {
      needs.requireOpen()
      requireMany(memories)
      requireInput(manySchema, options)
      const { verbatim = false, onProgress = () => {} } = options
      const by = act()
      const started = needs.clock.now()
      const run = { needs, by, tally: emptyTally(), onProgress }
      const outcomes: LineOutcome[] = []
      const onOutcome = options.onOutcome ?? ((outcome) => void outcomes.push(outcome))
      await rememberAll(run, numbered(memories), { verbatim, updates: true, onOutcome })
      run.tally.seconds = (needs.clock.now() - started) / 1000
      const entry = { ...by, at: needs.clock.now(), kind: "import.finished" as const, data: run.tally }
      await needs.db.write((transaction) => appendEntry(transaction, entry))
      return { ...run.tally, operation: by.operation, outcomes }
    },
    async retrieve(question) {
      needs.requireOpen()
      const { hits, ...answer } = await retrieve(needs, requireInput(questionSchema, question))
      const memories = hits.map(presentHit)
      return { memories, ...answer }
    },
    async garden(options = {}) {
      needs.requireOpen()
      const { limit = needs.config.ambient.changes_per_cycle } = requireInput(gardenSchema, options)
      const started = needs.clock.now()
      const garden = newId(needs.random, "garden")
      let operations = 0
      const report = await runGarden(needs, [...memoryWorks(needs), findDueClusters(needs)], {
        by: () => ({ operation: `${garden}-${++operations}`, actor: "ambient" }),
        limit,
        losses: createLossBudget(limit),
        signal: new AbortController().signal,
      })
      const seconds = (needs.clock.now() - started) / 1000
      return structuredClone({ ...report, seconds })
    },
    async undo(operation) {
      needs.requireOpen()
      requireInput(operationSchema, { operation })
      const { undid, operation: by, changes } = await undo(needs, act(), operation)
      return { undid, operation: by, changes }
    },
    async export(write) {
      needs.requireOpen()
      if (typeof write !== "function") throw new UserError("usage", "export needs a function that writes.")
      await exportJson(needs, async (text) => write(text))
    },
  }
}

async function* numbered(
  memories: AsyncIterable<NewMemory> | Iterable<NewMemory>,
): AsyncGenerator<ImportLine> {
  let line = 0
  for await (const memory of memories) {
    line += 1
    yield { line, read: () => memory }
  }
}
