import { newId } from "../../base/random.ts"
import { ensureProject } from "../../memory/model/project.ts"
import { type SessionBatch, saveSession } from "../../sessions/save-session.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import type { ProcessState, SessionLocation, SessionSource } from "../sessions/session-source.ts"
import { judgeStatus } from "../sessions/status.ts"
import type { LocationReader, ReadSession } from "./read-location.ts"
import { advance, type StoredProgress } from "./read-positions.ts"

/** The name under which a source's progress is stored. */
export function readerOf({ tool }: Pick<SessionSource, "tool">): string {
  return `sessions/${tool}`
}

interface Ingested {
  /** Undefined if another process read on in the meantime: read the stored progress again. */
  progress: StoredProgress | undefined
  more: boolean
  /** How many lines were too long to read. */
  skippedLines: number
}

/**
 * Reads the next part of a location and stores position, session and turns in one transaction, so that a crash neither
 * loses nor repeats anything.
 */
export async function ingestLocation(
  needs: InstallCore,
  reader: LocationReader,
  source: SessionSource,
  location: SessionLocation,
  from: StoredProgress | undefined,
): Promise<Ingested> {
  const { session, more, position, state, skippedLines } = await reader.read(source, location, from)
  // The stamp is saved only after the last part.
  const to: StoredProgress = { position, state, stamp: more ? "" : location.stamp }
  const now = needs.clock.now()
  const by = { operation: newId(needs.random, "op"), actor: "daemon" }
  const batch = session && (await batchOf({ now, by }, source, location, session))
  const isOurs = await needs.db.write(async (transaction) => {
    const where = { install: needs.install, reader: readerOf(source), file: location.id, at: now }
    if (!(await advance(transaction, where, from, to))) return false
    if (batch) await saveSession(transaction, { install: needs.install, now, by }, batch)
    return true
  })
  return { progress: isOurs ? to : undefined, more: more && isOurs, skippedLines }
}

async function batchOf(
  { now, by }: { now: number; by: By },
  source: SessionSource,
  location: SessionLocation,
  session: ReadSession,
): Promise<SessionBatch> {
  const { project } = session
  const process = await processStateOf(source, location, session, now)
  const { changedAt } = location
  return {
    ...session,
    tool: source.tool,
    project: project && ((transaction) => ensureProject(transaction, project, now, by)),
    startedAt: session.startedAt ?? changedAt,
    place: location.id,
    changedAt,
    pid: process.state === "alive" ? process.pid : session.pid,
    status: judgeStatus({ phase: session.phase, process, changedAt, now }),
  }
}

/** Processes are checked only for sessions that changed within this time. */
const mayRunMs = 24 * 3_600_000

async function processStateOf(
  source: SessionSource,
  location: SessionLocation,
  session: Pick<ReadSession, "nativeId" | "pid">,
  now: number,
): Promise<ProcessState> {
  if (source.processStates === undefined || now - location.changedAt > mayRunMs) return { state: "unknown" }
  const open = { nativeId: session.nativeId, location: location.id, pid: session.pid ?? null }
  return (await source.processStates([open]))[0] ?? { state: "unknown" }
}
