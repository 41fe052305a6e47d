import { newId } from "../../base/random.ts"
import { ensureProject } from "../../memory/model/project.ts"
import { keepSession, type SessionBatch } from "../../sessions/keep-session.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import type { Life, SessionLocation, SessionSource } from "../sessions/session-source.ts"
import { judgeStatus } from "../sessions/status.ts"
import type { LocationReader, ReadSession } from "./read-location.ts"
import { advance, type KeptProgress } from "./read-positions.ts"

/** Under which name a source's progress is kept. */
export function readerOf({ tool }: Pick<SessionSource, "tool">): string {
  return `sessions/${tool}`
}

interface Ingested {
  /** Undefined where somebody else went on meanwhile: read anew how far that is. */
  progress: KeptProgress | undefined
  more: boolean
  /** Lines that were too long to be read. */
  passedOver: number
}

/**
 * Reads some of what is new in one location and keeps it: position, session and turns in one transaction, so that nothing
 * is lost or doubled whenever this process dies.
 */
export async function ingestLocation(
  needs: InstallCore,
  reader: LocationReader,
  source: SessionSource,
  location: SessionLocation,
  from: KeptProgress | undefined,
): Promise<Ingested> {
  const { session, more, position, state, passedOver } = await reader.read(source, location, from)
  // A location with more to read does not count as seen yet.
  const to: KeptProgress = { position, state, stamp: more ? "" : location.stamp }
  const now = needs.clock.now()
  const by = { operation: newId(needs.random, "op"), actor: "daemon" }
  const batch = session && (await batchOf({ now, by }, source, location, session))
  const isOurs = await needs.db.write(async (transaction) => {
    const where = { install: needs.install, reader: readerOf(source), file: location.id, at: now }
    if (!(await advance(transaction, where, from, to))) return false
    if (batch) await keepSession(transaction, { install: needs.install, now, by }, batch)
    return true
  })
  return { progress: isOurs ? to : undefined, more: more && isOurs, passedOver }
}

async function batchOf(
  { now, by }: { now: number; by: By },
  source: SessionSource,
  location: SessionLocation,
  session: ReadSession,
): Promise<SessionBatch> {
  const { project } = session
  const life = await lifeOf(source, location, session, now)
  const { changedAt } = location
  return {
    tool: source.tool,
    nativeId: session.nativeId,
    project: project && ((transaction) => ensureProject(transaction, project, now, by)),
    folder: session.folder,
    branch: session.branch,
    title: session.title,
    firstWords: session.firstWords,
    startedAt: session.startedAt ?? changedAt,
    place: location.id,
    changedAt,
    phase: session.phase,
    pid: life.life === "alive" ? life.pid : session.pid,
    status: judgeStatus({ phase: session.phase, life, changedAt, now }),
    lastUserAt: session.lastUserAt,
    isSpoken: session.isSpoken,
    turns: session.turns,
  }
}

/** Processes are looked for only where one may still run. */
const mayRunMs = 24 * 3_600_000

async function lifeOf(
  source: SessionSource,
  location: SessionLocation,
  session: Pick<ReadSession, "nativeId" | "pid">,
  now: number,
): Promise<Life> {
  if (source.lives === undefined || now - location.changedAt > mayRunMs) return { life: "unknown" }
  const open = { nativeId: session.nativeId, location: location.id, pid: session.pid ?? null }
  return (await source.lives([open]))[0] ?? { life: "unknown" }
}
