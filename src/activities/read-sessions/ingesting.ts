import { yieldToEventLoop } from "../../base/clock.ts"
import { codeOf, messageOf } from "../../base/errors.ts"
import { startLoop } from "../../base/loop.ts"
import { newId } from "../../base/random.ts"
import { ingestLocation, readerOf } from "../../coding/reading/ingest.ts"
import { hasTooManyValues } from "../../coding/reading/json-line.ts"
import { ReaderDied } from "../../coding/reading/open-reader.ts"
import {
  createInlineReader,
  type LocationReader,
  type ReadLocationNeeds,
} from "../../coding/reading/read-location.ts"
import { readPositions, type StoredProgress } from "../../coding/reading/read-positions.ts"
import type { openReadingMark } from "../../coding/reading/reading-mark.ts"
import { watchFolders } from "../../coding/reading/watch-folders.ts"
import { judgeOpenSessions } from "../../coding/sessions/judge-open.ts"
import { deleteOldTurns } from "../../coding/sessions/retention.ts"
import type { SessionLocation, SessionSource } from "../../coding/sessions/session-source.ts"
import {
  clearFailures,
  isSkipped,
  type ReadFailure,
  readFailures,
  recordFailure,
} from "../../coding/sessions/skipped-locations.ts"
import type { InstallCore } from "../../storage/core.ts"

export interface IngestingNeeds extends InstallCore, ReadLocationNeeds {
  sources: readonly SessionSource[]
  /** Reads locations; in this thread by default. */
  reader?: LocationReader | undefined
  /** Reads locations that crashed a reader before, in a process of its own. */
  suspectReader?: LocationReader | undefined
  /** Marks what is being read, for the next process after a crash. */
  mark?: ReturnType<typeof openReadingMark> | undefined
}

/** Pauses between runs: normally, after a file event, and if there was too much for one run. */
const everyMs = 3000
const signMs = 700
const soonMs = 100
/** After this long without a change, runs are less frequent. */
const quietMs = 10 * 60_000
const quietEveryMs = 10_000
/** How often to check whether open sessions still run. */
const judgeEveryMs = 10_000
/** How often all locations are checked; in between only recently changed ones. */
const everythingMs = 2 * 60_000
const warmMs = 2 * 86_400_000
/** Batches per run. */
const mostBatches = 80
/** `readNow` does at most this many runs. */
const mostLooksNow = 5
const forgetEveryMs = 3_600_000
const retryMs = 3_600_000
/** How far back the first run goes if turns are not stored. */
const headDays = 30

export interface Ingesting {
  /** Reads everything that is there now, and settles when that is done. */
  readNow(): Promise<void>
  stop(): Promise<void>
}

/** Reads the user's agent sessions as they are written. */
export function startIngesting(needs: IngestingNeeds): Ingesting {
  if (needs.sources.length === 0) return { readNow: async () => {}, stop: async () => {} }
  const ingest = openIngest(needs)
  let hasMore = false
  const work = async (signal: AbortSignal) => {
    hasMore = false
    const { more, isQuiet, folders } = await ingest.look(() => signal.aborted)
    hasMore = more
    if (!signal.aborted) watch.only(folders)
    if (more) return soonMs
    return isQuiet ? quietEveryMs : everyMs
  }
  const watch = watchFolders(() => loop.wakeWithin(signMs))
  const problem = "Reading sessions failed; trying again"
  const loop = startLoop(needs, { work, problem, retryMs: everyMs })
  return {
    async readNow() {
      // A run that is already going may have missed the newest turns.
      if (loop.isRunning()) await loop.runNow()
      for (let looks = 0; looks < mostLooksNow; looks += 1) {
        await loop.runNow()
        if (!hasMore) return
      }
    },
    async stop() {
      watch.close()
      const stopped = loop.stop()
      await needs.reader?.close()
      await needs.suspectReader?.close()
      await stopped
      needs.mark?.remove()
    },
  }
}

/** Reads what is new, the newest first, for a process without a daemon. A long history takes several runs. */
export async function ingestOnce(needs: IngestingNeeds, looks = Number.POSITIVE_INFINITY): Promise<void> {
  const ingest = openIngest(needs)
  for (let look = 0, more = true; more && look < looks; look += 1)
    more = (await ingest.look(() => false)).more
}

function openIngest(needs: IngestingNeeds) {
  const { db, clock, config, install, random, log, mark } = needs
  const reader = needs.reader ?? createInlineReader(needs)
  const seen = new Map<SessionSource, Map<string, StoredProgress>>()
  /** Locations that could not be read: each is logged once, and retried after an hour. */
  const failed = new Map<string, { stamp: string; at: number }>()
  const hasFailed = ({ id, stamp }: SessionLocation) => {
    const before = failed.get(id)
    return before?.stamp === stamp && clock.now() - before.at < retryMs
  }
  /** Locations with strikes, by id; reloaded at each run, because a user may clear them. */
  let troubled = new Map<string, ReadFailure>()
  let isFirst = true
  let everythingAt = Number.NEGATIVE_INFINITY
  let forgottenAt = Number.NEGATIVE_INFINITY
  let judgedAt = Number.NEGATIVE_INFINITY
  let changedAt = clock.now()

  async function lookAt(source: SessionSource, since: number, left: number, isStopped: () => boolean) {
    const known = seen.get(source) ?? (await readPositions(db, install, readerOf(source)))
    seen.set(source, known)
    const locations = await source.locations(since)
    const changed = locations
      .filter((location) => known.get(location.id)?.stamp !== location.stamp && !hasFailed(location))
      .filter(({ id }) => !isSkipped(troubled.get(id) ?? { strikes: 0 }))
      .sort((a, b) => suspicion(a) - suspicion(b) || b.changedAt - a.changedAt)
    let batches = 0
    for (const location of changed) {
      for (let more = true; more && batches < left && !isStopped(); batches += 1) {
        more = await readSome(source, known, location, isStopped)
        await yieldToEventLoop()
      }
      if (batches >= left || isStopped()) break
    }
    return { batches, locations }
  }

  /** Locations with strikes are read last, so that a crash affects nothing else. */
  function suspicion({ id }: SessionLocation): number {
    return troubled.has(id) ? 1 : 0
  }

  const by = () => ({ operation: newId(random, "op"), actor: "daemon" })

  /** Adds a strike to a location that crashed a thread or process. After a second one at the same point it is skipped. */
  async function blame(tool: SessionSource["tool"], location: string, position: number, reason: string) {
    const trouble = await recordFailure(
      db,
      install,
      { tool, location, position, reason, at: clock.now() },
      by(),
    )
    troubled.set(location, trouble)
    const details = { tool, location, reason }
    if (isSkipped(trouble))
      log.error("A transcript is skipped from now on; `reverie sessions retry` reads it again", details)
    else log.warn("Reading a transcript ended badly; trying once more, after all others", details)
  }

  async function lookForTrouble(): Promise<void> {
    troubled = new Map((await readFailures(db, install)).map((one) => [one.location, one]))
    if (!isFirst) return
    isFirst = false
    const left = mark?.interrupted()
    mark?.remove()
    if (left === undefined) return
    const progress = await readPositions(db, install, readerOf(left))
    const position = progress.get(left.place)?.position ?? 0
    await blame(left.tool, left.place, position, "the daemon died while reading it")
  }

  /** Marks the location while its reading can crash this process; with the suspect reader, only while saving. */
  function readerFor({ id }: SessionLocation): LocationReader {
    const { suspectReader } = needs
    const put = ({ tool }: SessionSource) => mark?.put(tool, id, clock.now())
    if (suspectReader === undefined || !troubled.has(id))
      return {
        ...reader,
        read(source, location, from) {
          put(source)
          return reader.read(source, location, from)
        },
      }
    return {
      ...suspectReader,
      async read(source, location, from) {
        mark?.remove()
        const read = await suspectReader.read(source, location, from)
        put(source)
        return read
      },
    }
  }

  async function readSome(
    source: SessionSource,
    known: Map<string, StoredProgress>,
    location: SessionLocation,
    isStopped: () => boolean,
  ) {
    const from = known.get(location.id)
    try {
      const { progress, more, skippedLines } = await ingestLocation(
        needs,
        readerFor(location),
        source,
        location,
        from,
      )
      if (progress) known.set(location.id, progress)
      else seen.delete(source)
      if (skippedLines > 0)
        log.warn("A line of a transcript is too long and was passed over", {
          tool: source.tool,
          location: location.id,
        })
      if (!more && progress && troubled.delete(location.id))
        await clearFailures(db, install, { location: location.id, at: clock.now(), by: by() })
      return more
    } catch (error) {
      if (isStopped()) return false
      if (error instanceof ReaderDied || hasTooManyValues(error)) {
        await blame(source.tool, location.id, from?.position ?? 0, `${messageOf(error)}`)
        return false
      }
      failed.set(location.id, { stamp: location.stamp, at: clock.now() })
      // A file may vanish between finding and reading it.
      if (codeOf(error) !== "ENOENT")
        log.warn("A session cannot be read", { tool: source.tool, reason: messageOf(error) })
      return false
    }
  }

  /** Reads one source after the other until the run has enough. */
  async function lookAtAll(since: number, isStopped: () => boolean) {
    let left = mostBatches
    const found: SessionLocation[] = []
    for (const source of needs.sources) {
      const { batches, locations } = await lookAt(source, since, left, isStopped)
      left -= batches
      found.push(...locations)
      if (left <= 0 || isStopped()) break
    }
    return { found, read: mostBatches - left, more: left <= 0 }
  }

  async function tidy(now: number, hasRead: boolean): Promise<void> {
    if (hasRead || now - judgedAt >= judgeEveryMs) {
      judgedAt = now
      await judgeOpenSessions(needs, needs.sources, by())
    }
    if (now - forgottenAt < forgetEveryMs) return
    forgottenAt = now
    await deleteOldTurns(needs, now, by())
  }

  return {
    async look(isStopped: () => boolean): Promise<RunResult> {
      const now = clock.now()
      const isFull = now - everythingAt >= everythingMs
      const historyMs = (config.sessions.keep_days || headDays) * 86_400_000
      const since = now - (isFull ? historyMs : Math.min(warmMs, historyMs))
      await lookForTrouble()
      const { found, read, more } = await lookAtAll(since, isStopped)
      mark?.remove()
      if (read > 0) changedAt = now
      if (!more && !isStopped()) {
        if (isFull) everythingAt = now
        await tidy(now, read > 0)
      }
      return { more, isQuiet: now - changedAt > quietMs, folders: foldersOf(found, now) }
    },
  }
}

interface RunResult {
  /** Whether there is more to read now. */
  more: boolean
  /** Whether nothing has changed for a while. */
  isQuiet: boolean
  /** The folders to watch. */
  folders: string[]
}

/** The folders of locations that changed within the last hour. */
function foldersOf(locations: readonly SessionLocation[], now: number): string[] {
  const recent = locations.filter(({ changedAt }) => now - changedAt < 3_600_000)
  return [...new Set(recent.map(({ id }) => id.replace(/\/[^/]*$/, "")))]
}
