import type { Clock } from "../base/clock.ts"
import { nextTurn } from "../base/clock.ts"
import { newId, type Random } from "../base/random.ts"
import { shorten } from "../base/text.ts"
import type { Config } from "../config/schema.ts"
import type { Screen } from "../memory/privacy/screen.ts"
import { type ProjectFinder, type ProjectIdentity, projectConfig } from "../memory/project.ts"
import type { Database } from "../storage/database.ts"
import { keepSession, type SessionBatch } from "./keep-session.ts"
import { advance, type KeptProgress } from "./read-positions.ts"
import { keptSince } from "./retention.ts"
import type { Life, Place, SessionNews, SessionSource } from "./session-source.ts"
import { type ShapedTurn, shapeTurn } from "./shape-turn.ts"
import { redactTranscript } from "./sources/transcript.ts"
import { judgeStatus } from "./status.ts"

export interface IngestNeeds {
  db: Database
  clock: Clock
  random: Random
  config: Config
  projects: ProjectFinder
  screen: Screen
  install: string
  /** Sessions below it are our own programs at work. */
  ownFolder: string
}

/** Under which name a source's progress is kept. */
export function readerOf({ tool }: SessionSource): string {
  return `sessions/${tool}`
}

interface Ingested {
  /** Undefined where somebody else went on meanwhile: read anew how far that is. */
  progress: KeptProgress | undefined
  more: boolean
}

/**
 * Reads some of what is new in one place and keeps it: position, session and turns in one transaction, so that nothing
 * is lost or doubled whenever this process dies.
 */
export async function ingestPlace(
  needs: IngestNeeds,
  source: SessionSource,
  place: Place,
  from: KeptProgress | undefined,
): Promise<Ingested> {
  const { news, more, position, state } = await source.read(place.id, from)
  const batch = news === undefined ? undefined : await prepare(needs, source, place, news)
  // A place with more to read does not count as seen yet.
  const to: KeptProgress = {
    position,
    state: redactTranscript(state, needs.screen.redactSync),
    stamp: more ? "" : place.stamp,
  }
  const now = needs.clock.now()
  const by = { operation: newId(needs.random, "op"), actor: "daemon" }
  const isOurs = await needs.db.write(async (transaction) => {
    const where = { install: needs.install, reader: readerOf(source), place: place.id, at: now }
    if (!(await advance(transaction, where, from, to))) return false
    if (batch) await keepSession(transaction, { install: needs.install, now, by }, batch)
    return true
  })
  return { progress: isOurs ? to : undefined, more: more && isOurs }
}

/** What may be kept of the news; undefined where nothing may. */
async function prepare(
  needs: IngestNeeds,
  source: SessionSource,
  place: Place,
  news: SessionNews,
): Promise<SessionBatch | undefined> {
  if (news.folder?.startsWith(needs.ownFolder)) return undefined
  const { folder, project } = await placeOf(needs, news.folder)
  const config = project ? projectConfig(needs.config, project) : needs.config
  if (!config.memory.enabled || !config.sessions.enabled) return undefined
  const turns = await shapeTurns(needs, news, config, project)
  const now = needs.clock.now()
  const life = await lifeOf(source, place, news, now)
  const pid = life.life === "alive" ? life.pid : news.pid
  const prompts = news.turns.filter(({ role }) => role === "user")
  const firstWords = turns.find(({ role }) => role === "user")?.text
  return {
    tool: source.tool,
    nativeId: news.nativeId,
    project,
    folder,
    branch: news.branch && needs.screen.redactSync(news.branch),
    title: news.title === undefined ? undefined : shorten(needs.screen.redactSync(news.title), longestTitle),
    firstWords: firstWords === undefined ? undefined : shorten(firstWords, longestTitle),
    startedAt: news.startedAt ?? place.changedAt,
    place: place.id,
    changedAt: place.changedAt,
    phase: news.phase,
    pid,
    status: judgeStatus({ phase: news.phase, life, changedAt: place.changedAt, now }),
    lastUserAt: prompts.length === 0 ? undefined : Math.max(...prompts.map(({ at }) => at)),
    isSpoken: news.turns.length > 0,
    turns,
  }
}

/** The session's folder and project; a folder that is not there is only a text, and kept without secrets. */
async function placeOf(
  { projects, screen }: IngestNeeds,
  named: string | undefined,
): Promise<{ folder?: string | undefined; project?: ProjectIdentity | undefined }> {
  if (named === undefined) return {}
  const project = await projects.find(named)
  const folder = project.root === null ? screen.redactSync(named) : named
  return { folder, project: folder === named ? project : await projects.find(folder) }
}

const longestTitle = 120

async function shapeTurns(
  { screen, clock }: IngestNeeds,
  news: SessionNews,
  config: Config,
  project: ProjectIdentity | undefined,
): Promise<ShapedTurn[]> {
  const since = keptSince(clock.now(), config.sessions.keep_days)
  const shaping = { screen, root: project?.root ?? null, privacy: config.privacy }
  const turns: ShapedTurn[] = []
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

/** Processes are looked for only where one may still run. */
const mayRunMs = 24 * 3_600_000

async function lifeOf(source: SessionSource, place: Place, news: SessionNews, now: number): Promise<Life> {
  if (source.lives === undefined || now - place.changedAt > mayRunMs) return { life: "unknown" }
  const session = { nativeId: news.nativeId, place: place.id, pid: news.pid ?? null }
  return (await source.lives([session]))[0] ?? { life: "unknown" }
}
