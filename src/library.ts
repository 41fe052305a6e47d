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
import { findDueClusters } from "./memory/garden/clusters-work.ts"
import type { GardenReport } from "./memory/garden/garden.ts"
import { runGarden } from "./memory/garden/run-garden.ts"
import { memoryWorks } from "./memory/garden/works.ts"
import { undo } from "./memory/history/history.ts"
import { countLosses } from "./memory/model/agents/losses.ts"
import type { MemoryScope, MemorySource, MemoryType } from "./memory/model/kinds.ts"
import { newMemorySchema } from "./memory/model/memory.ts"
import { exportJson } from "./memory/transfer/export.ts"
import { emptyTally, type Imported } from "./memory/write/import-run.ts"
import { type Remembered, remember } from "./memory/write/remember.ts"
import { type Incoming, rememberAll } from "./memory/write/remember-all.ts"
import { storedVectorLength } from "./memory/write/vectors.ts"
import type { LineOutcome } from "./memory/write/write-lines.ts"
import { type DownloadProgress, openParts, type Parts } from "./parts.ts"
import { openRecall } from "./recall/open-recall.ts"
import type { Happening, Recall, RecallSession, SurfacedMemory } from "./recall/types.ts"
import { appendEntry } from "./storage/journal.ts"

/** Where a memory is kept, and how. Everything may be left out. */
export interface MemoryOptions {
  /** The folder that holds configuration, data and state; the user's own installation without it. */
  home?: string
  /** A PostgreSQL database instead of the embedded file: postgres://USER@HOST/DATABASE. */
  url?: string
  /** Settings that win over the configuration file, as in config.toml: { embedding: { model: "gte-small" } }. */
  settings?: Record<string, Record<string, unknown>>
  /** An embedder of your own instead of the configured one. */
  embedder?: Embedder
  /** Who acts, as the journal tells it. */
  actor?: string
  /** Hears how far the download of the embedding model is; it is fetched once, when first needed. */
  onDownload?(progress: DownloadProgress): void
  /** Where warnings go; nowhere without it. */
  log?: Log
}

/** What shall be remembered: `content` at least. Times are milliseconds since 1970 or ISO text. */
export interface NewMemory {
  /** A text longer than `memory.longest_text` is kept in parts, which are found one by one and forgotten together. */
  content: string
  type?: MemoryType
  /** Without it: project if a project is given, else global. */
  scope?: MemoryScope
  /** A folder or a name. Worktrees and clones of one repository are one project. */
  project?: string
  /** The folders it was said in: their projects' configuration and .env files hold, wherever the memory belongs. */
  from?: string | string[]
  tags?: string[]
  source?: MemorySource
  /**
   * The identity you use for it. Given again by the same actor for the same project, session and audience, it updates that
   * memory: another text edits it, the same text changes nothing.
   */
  sourceId?: string
  sessionId?: string
  messageIndex?: number
  messageEnd?: number
  createdAt?: number | string
  confidence?: number
  /** Only who belongs to it sees the memory. */
  audience?: string
  /** Words that bring it up whenever they occur in a question; * stands for anything. */
  triggers?: string[]
  /** Stored as it is: never merged with, and never replacing, what is there. */
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

/** A question to memory. */
export interface MemoryQuestion {
  query: string
  /** How many memories at most; 10 without it. */
  limit?: number
  /** A folder or a name; its memories are searched beside the global ones. */
  project?: string
  allProjects?: boolean
  session?: string
  /** The audiences whoever asks belongs to. */
  audiences?: readonly string[]
  /** When it is asked, if not now: "last week" is the week before. A Date, ISO text or milliseconds since 1970. */
  askedAt?: Moment
  /**
   * True, the default, gives what is sure and behind it up to five that are not; "strict" only what is sure; false the
   * ranked list as it is.
   */
  gate?: boolean | "strict"
}

/** A memory that was found. */
export type FoundMemory = PresentedHit

/** How `rememberAll` remembers. */
export interface RememberAllOptions {
  /** All are stored as they are: never merged with, and never replacing, what is there. */
  verbatim?: boolean
  onProgress?(done: number): void
  /** Hears what became of each line, in order, instead of the list `outcomes`: for so many that a list would be too long. */
  onOutcome?(outcome: LineOutcome): void | Promise<void>
}

/** What `rememberAll` came to. */
export interface RememberedAll extends Imported {
  operation: string
  /** What became of each line, in order, with its id and sourceId; empty if `onOutcome` heard it. */
  outcomes: LineOutcome[]
}

/** An answer of memory; `abstained` means that nothing is sure. */
export interface MemoryAnswer {
  memories: FoundMemory[]
  abstained: boolean
  /** How likely there is an answer at all, 0 to 1. */
  confidence: number
  /** Why nothing can be found, when that is not the question's fault. */
  reason?: string
}

/** A conversation of an agent or a bot of yours, in which memories are brought up by themselves. */
export interface SessionOptions {
  /** Names it, the same each time; its state outlives the process. */
  id: string
  /** A folder or a name. */
  project?: string
  /** What it is a conversation with. */
  tool?: string
}

/** Something said or done in a session. */
export interface SessionTurn {
  role: "user" | "assistant" | "tool"
  text: string
  /** The name of the tool, and whether it failed. */
  tool?: string
  isError?: boolean
  /** The files it is about. */
  files?: readonly string[]
}

/** What is brought up now; empty is the usual answer. */
export interface SessionAnswer {
  surfaced: SurfacedMemory[]
  /** The same as a text to put before a model: fenced as data, and short. */
  text: string
}

/** A session. Every answer comes at once: it was prepared on the turn before. */
export interface MemorySession {
  /** It begins, or its context was shortened: what its project should know. */
  start(): Promise<SessionAnswer>
  /** Tells what was said, and gives what was prepared; nothing after an assistant's words, for no model reads on then. */
  turn(turn: SessionTurn): Promise<SessionAnswer>
  end(): Promise<void>
}

/** What tending the memory came to; `undo(operation)` takes back one deed, the last first. */
export type GardenReceipt = GardenReport & { seconds: number }

/** A memory in this process. Everything it returns is plain data. */
export interface MemoryLibrary {
  /** Remembers one text. Give the same operation again to repeat one whose answer was lost: it is done once. */
  remember(memory: NewMemory, operation?: string): Promise<Remembered>
  /** Remembers many; quick, and in one operation that `undo` takes back. */
  rememberAll(
    memories: AsyncIterable<NewMemory> | Iterable<NewMemory>,
    options?: RememberAllOptions,
  ): Promise<RememberedAll>
  /** Finds what matters for a question. */
  retrieve(question: MemoryQuestion): Promise<MemoryAnswer>
  /** A session in which memories are brought up by themselves. */
  session(options: SessionOptions): MemorySession
  /**
   * Tends the whole memory by rules, without a model: merges what says the same, settles contradictions, archives what has
   * expired, tidies tags. `limit` is how many changes it may make; call it again while `isDone` is false.
   */
  garden(options?: { limit?: number }): Promise<GardenReceipt>
  /** Takes back an operation, the newest one if none is named. */
  undo(operation?: string): Promise<{ undid: string; operation: string; changes: number }>
  /** Everything as lossless JSON, in pieces. */
  export(write: (text: string) => Promise<void> | void): Promise<void>
  close(): Promise<void>
}

/** Opens a memory in this process, beside a daemon or without one. */
export async function openMemory(options: MemoryOptions = {}): Promise<MemoryLibrary> {
  requireInput(optionsSchema, options)
  const env = { ...readEnvironment(), ...given({ home: options.home, databaseUrl: options.url }) }
  const paths = pathsFor(env)
  const config = withSettings(loadConfig(env, paths), options.settings)
  const log = options.log ?? silentLog
  const world = { env, paths, clock: systemClock, random: systemRandom }
  const parts = await openParts({ ...world, config, log, onProgress: options.onDownload })
  const stored = { storedLength: (model: string) => storedVectorLength(parts.db, model) }
  const own = options.embedder && guardEmbedder({ ...world, ...stored }, options.embedder)
  const embedder = own ?? parts.embedder
  const needs = { ...world, ...parts, config, log, embedder }
  const stopEmbedding = startEmbedding(needs)
  const install = loadInstall(paths.installFile, world.random).id
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
      return answer(await recall.turn(session, happeningOf(requireInput(turnSchema, turn))))
    },
    async end() {
      requireOpen()
      return recall.end(session)
    },
  }
}

function happeningOf(turn: z.output<typeof turnSchema>): Happening {
  const { role, text, tool = "tool", isError = false, files } = turn
  if (role === "user") return { kind: "prompt", text }
  if (role === "assistant") return { kind: "output", text, files }
  return { kind: "tool", name: tool, text, isError, files }
}

/** Only what was given. */
function given<T extends object>(values: T): Partial<T> {
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
        losses: countLosses(limit),
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

async function* numbered(memories: AsyncIterable<NewMemory> | Iterable<NewMemory>): AsyncGenerator<Incoming> {
  let line = 0
  for await (const memory of memories) {
    line += 1
    yield { line, read: () => memory }
  }
}
