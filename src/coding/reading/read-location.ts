import type { Clock } from "../../base/clock.ts"
import { nextTurn } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import type { Config } from "../../config/schema.ts"
import { ownWords } from "../../memory/extract/own-words/own-words.ts"
import { type ProjectFinder, type ProjectIdentity, projectConfig } from "../../memory/model/project.ts"
import type { Screen } from "../../privacy/screen.ts"
import { keptSince } from "../../sessions/forget-turns.ts"
import type { Phase } from "../../sessions/session.ts"
import type { NewTurn } from "../../sessions/turn.ts"
import type { Progress, SessionLocation, SessionNews, SessionSource } from "../sessions/session-source.ts"
import { shapeTurn } from "../sessions/shape-turn.ts"
import { redactTranscript } from "../sources/transcript.ts"
import type { KeptProgress } from "./read-positions.ts"

/** Reads some of what is new in a location; where that happens is its own affair. */
export interface LocationReader {
  read(
    source: SessionSource,
    location: SessionLocation,
    from: KeptProgress | undefined,
  ): Promise<LocationRead>
  close(): Promise<void>
}

/** What was found in a location, fit to be kept. Plain data: it may come from another thread. */
export interface LocationRead extends Progress {
  /** Whether there is more to read at once. */
  more: boolean
  /** Lines that were too long to be read. */
  passedOver: number
  /** Undefined where nothing of it may be kept. */
  session: ReadSession | undefined
}

/** What a location says of its session. */
export interface ReadSession extends Omit<SessionNews, "turns"> {
  project: ProjectIdentity | undefined
  phase?: Phase | undefined
  /** The beginning of what the person said first in their own words. */
  firstWords: string | undefined
  /** When the user last spoke, whether that turn is kept or not. */
  lastUserAt: number | undefined
  isSpoken: boolean
  turns: NewTurn[]
}

export interface ReadLocationNeeds {
  clock: Clock
  config: Config
  projects: ProjectFinder
  screen: Screen
  /** Sessions below it are our own programs at work. */
  ownFolder: string
}

/** Reads in this thread. */
export function readHere(needs: ReadLocationNeeds): LocationReader {
  return {
    read: (source, location, from) => readLocation(needs, source, location, from),
    close: async () => {},
  }
}

/** Reads some of what is new in a location and makes it fit to be kept. */
export async function readLocation(
  needs: ReadLocationNeeds,
  source: SessionSource,
  location: SessionLocation,
  from: Progress | undefined,
): Promise<LocationRead> {
  const { news, more, position, state, passedOver = 0 } = await source.read(location.id, from)
  const session = news === undefined ? undefined : await fitToKeep(needs, news)
  return { position, state: redactTranscript(state, needs.screen.redactSync), more, passedOver, session }
}

const longestTitle = 120

async function fitToKeep(needs: ReadLocationNeeds, news: SessionNews): Promise<ReadSession | undefined> {
  if (news.folder?.startsWith(needs.ownFolder)) return undefined
  const { folder, project } = await locationOf(needs, news.folder)
  const config = project ? await projectConfig(needs.config, project) : needs.config
  if (!config.memory.enabled || !config.sessions.enabled) return undefined
  const turns = await shapeTurns(needs, news, config, project)
  const prompts = news.turns.filter(({ role }) => role === "user")
  const said = turns.filter(({ role }) => role === "user").map(({ text }) => ownWords(text))
  const firstWords = said.find((words) => words !== "")
  const { redactSync } = needs.screen
  const { turns: _, ...head } = news
  return {
    ...head,
    folder,
    project,
    branch: news.branch && redactSync(news.branch),
    title: news.title === undefined ? undefined : shorten(redactSync(news.title), longestTitle),
    firstWords: firstWords === undefined ? undefined : shorten(firstWords, longestTitle),
    lastUserAt: prompts.length === 0 ? undefined : prompts.reduce((last, { at }) => Math.max(last, at), 0),
    isSpoken: news.turns.length > 0,
    turns,
  }
}

/** The session's folder and project; a folder that is not there is only a text, and kept without secrets. */
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
  news: SessionNews,
  config: Config,
  project: ProjectIdentity | undefined,
): Promise<NewTurn[]> {
  const since = keptSince(clock.now(), config.sessions.keep_days)
  const shaping = { screen, root: project?.root ?? null, privacy: config.privacy }
  const turns: NewTurn[] = []
  // Has the project's .env files read, whatever was said.
  await screen.check("", { projectRoot: shaping.root })
  for (const raw of news.turns) {
    if (raw.at < since) continue
    const turn = await shapeTurn(shaping, raw)
    if (turn) turns.push(turn)
    await nextTurn()
  }
  return turns
}
