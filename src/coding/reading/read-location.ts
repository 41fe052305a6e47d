import { yieldToEventLoop } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import type { Config } from "../../config/schema.ts"
import { ownWords } from "../../memory/extract/own-words/own-words.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { type ProjectIdentity, projectConfig } from "../../memory/model/project.ts"
import { retentionStart } from "../../sessions/delete-turns.ts"
import type { Phase } from "../../sessions/session.ts"
import type { NewTurn } from "../../sessions/turn.ts"
import type { Progress, SessionLocation, SessionSource, SessionUpdate } from "../sessions/session-source.ts"
import { shapeTurn } from "../sessions/shape-turn.ts"
import { redactTranscript } from "../sources/transcript.ts"
import type { StoredProgress } from "./read-positions.ts"

/** Reads the next part of a location, in this thread or in another. */
export interface LocationReader {
  read(
    source: SessionSource,
    location: SessionLocation,
    from: StoredProgress | undefined,
  ): Promise<LocationRead>
  close(): Promise<void>
}

/** The screened result of reading a location. Plain data: it may come from another thread. */
export interface LocationRead extends Progress {
  /** Whether there is more to read now. */
  more: boolean
  /** How many lines were too long to read. */
  skippedLines: number
  /** Undefined if nothing of it may be stored. */
  session: ReadSession | undefined
}

/** A session as it is stored, with its new turns. */
export interface ReadSession extends Omit<SessionUpdate, "turns"> {
  project: ProjectIdentity | undefined
  phase?: Phase | undefined
  /** The beginning of the user's first own words. */
  firstWords: string | undefined
  /** The time of the user's last message, whether it is stored or not. */
  lastUserAt: number | undefined
  isSpoken: boolean
  turns: NewTurn[]
}

/** What a reader in another thread or process is started with. */
export interface ReaderSetup {
  config: Config
  /** Sessions below this folder are those of our own programs. */
  ownFolder: string
}

/** What reading a location needs. */
export type ReadLocationNeeds = ReaderSetup & Pick<MemoryCore, "clock" | "projects" | "screen">

/** A reader in this thread. */
export function createInlineReader(needs: ReadLocationNeeds): LocationReader {
  return {
    read: (source, location, from) => readLocation(needs, source, location, from),
    close: async () => {},
  }
}

/** Reads the next part of a location and prepares it for storage. */
export async function readLocation(
  needs: ReadLocationNeeds,
  source: SessionSource,
  location: SessionLocation,
  from: Progress | undefined,
): Promise<LocationRead> {
  const { update, more, position, state, skippedLines = 0 } = await source.read(location.id, from)
  const session = update === undefined ? undefined : await toStoredSession(needs, update)
  return { position, state: redactTranscript(state, needs.screen.redactSync), more, skippedLines, session }
}

const longestTitle = 120

async function toStoredSession(
  needs: ReadLocationNeeds,
  update: SessionUpdate,
): Promise<ReadSession | undefined> {
  if (update.folder?.startsWith(needs.ownFolder)) return undefined
  const { folder, project } = await locationOf(needs, update.folder)
  const config = project ? await projectConfig(needs.config, project) : needs.config
  if (!config.memory.enabled || !config.sessions.enabled) return undefined
  const turns = await shapeTurns(needs, update, config, project)
  const prompts = update.turns.filter(({ role }) => role === "user")
  const spoken = turns.filter(({ role }) => role === "user").map(({ text }) => ownWords(text))
  const firstWords = spoken.find((words) => words !== "")
  const { redactSync } = needs.screen
  const { turns: _, ...head } = update
  return {
    ...head,
    folder,
    project,
    branch: update.branch && redactSync(update.branch),
    title: update.title === undefined ? undefined : shorten(redactSync(update.title), longestTitle),
    firstWords: firstWords === undefined ? undefined : shorten(firstWords, longestTitle),
    lastUserAt: prompts.length === 0 ? undefined : prompts.reduce((last, { at }) => Math.max(last, at), 0),
    isSpoken: update.turns.length > 0,
    turns,
  }
}

/** The session's folder and project. A folder that does not exist is only a text, and is stored without secrets. */
async function locationOf(
  { projects, screen }: ReadLocationNeeds,
  named: string | undefined,
): Promise<{ folder?: string | undefined; project?: ProjectIdentity | undefined }> {
  if (named === undefined) return {}
  const project = await projects.find(named)
  const folder = project.root === null ? screen.redactSync(named) : named
  return { folder, project: folder === named ? project : await projects.find(folder) }
}

async function shapeTurns(
  { screen, clock }: ReadLocationNeeds,
  update: SessionUpdate,
  config: Config,
  project: ProjectIdentity | undefined,
): Promise<NewTurn[]> {
  const since = retentionStart(clock.now(), config.sessions.keep_days)
  const shaping = { screen, root: project?.root ?? null, privacy: config.privacy }
  const turns: NewTurn[] = []
  // Makes the screen read the project's .env files first.
  await screen.check("", { projectRoot: shaping.root })
  for (const raw of update.turns) {
    if (raw.at < since) continue
    const turn = await shapeTurn(shaping, raw)
    if (turn) turns.push(turn)
    await yieldToEventLoop()
  }
  return turns
}
