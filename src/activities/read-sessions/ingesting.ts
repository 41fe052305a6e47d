import { nextTurn } from "../../base/clock.ts"
import { codeOf, messageOf } from "../../base/errors.ts"
import { startLoop } from "../../base/loop.ts"
import { newId } from "../../base/random.ts"
import { holdsTooMuch } from "../../coding/reading/bounded-json.ts"
import { ingestLocation, readerOf } from "../../coding/reading/ingest.ts"
import { ReaderDied } from "../../coding/reading/open-reader.ts"
import { type LocationReader, type ReadLocationNeeds, readHere } from "../../coding/reading/read-location.ts"
import { type KeptProgress, readPositions } from "../../coding/reading/read-positions.ts"
import type { openReadingMark } from "../../coding/reading/reading-mark.ts"
import { watchFolders } from "../../coding/reading/watch-folders.ts"
import { judgeOpenSessions } from "../../coding/sessions/judge-open.ts"
import { forgetTurns } from "../../coding/sessions/retention.ts"
import type { SessionLocation, SessionSource } from "../../coding/sessions/session-source.ts"
import { isSkipped, pardon, strike, type Trouble, troubles } from "../../coding/sessions/skipped-locations.ts"
import type { InstallCore } from "../../storage/core.ts"

export interface IngestingNeeds extends InstallCore, ReadLocationNeeds {
  sources: readonly SessionSource[]
  /** Where locations are read; in this thread without one. */
  reader?: LocationReader | undefined
  /** Where locations are read that made trouble: whatever they end, it is not this process. */
  suspectReader?: LocationReader | undefined
  /** Says what is being read to whoever comes after a sudden end; not kept without one. */
  mark?: ReturnType<typeof openReadingMark> | undefined
}

/** How often it is looked for changes, how soon after a sign of one, and how soon when there was too much for one. */
const everyMs = 3000
const signMs = 700
const soonMs = 100
/** After this long without any change it is looked less often. */
const quietMs = 10 * 60_000
const quietEveryMs = 10_000
/** How often it is asked whether open sessions still run. */
const judgeEveryMs = 10_000
/** Everything, also what has been quiet for long, is looked at this often; in between only what changed lately. */
const everythingMs = 2 * 60_000
const warmMs = 2 * 86_400_000
/** Batches read in one look; then others get their turn. */
const mostBatches = 80
/** Whoever waits for what is there now waits for so many looks. */
const mostLooksNow = 5
const forgetEveryMs = 3_600_000
const retryMs = 3_600_000
/** How far back the first look goes where nothing of what was said is kept. */
const headDays = 30

/** Reading that goes on. */
export interface Ingesting {
  /** Reads at once what is there, and settles when that is done. */
  lookNow(): Promise<void>
  stop(): Promise<void>
}

/** Reads the user's sessions with agents as they are written, for as long as the daemon lives. */
export function startIngesting(needs: IngestingNeeds): Ingesting {
  if (needs.sources.length === 0) return { lookNow: async () => {}, stop: async () => {} }
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
  const watch = watchFolders(() => loop.soon(signMs))
  const problem = "Reading sessions failed; trying again"
  const loop = startLoop(needs, { work, problem, retryMs: everyMs })
  return {
    async lookNow() {
      // A look that began before may have passed by what is meant.
      if (loop.isWorking()) await loop.now()
      for (let looks = 0; looks < mostLooksNow; looks += 1) {
        await loop.now()
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

/** Reads what is new, the newest first, for a process without a daemon; a long history takes more looks than one. */
export async function ingestOnce(needs: IngestingNeeds, looks = Number.POSITIVE_INFINITY): Promise<void> {
  const ingest = openIngest(needs)
  for (let look = 0, more = true; more && look < looks; look += 1)
    more = (await ingest.look(() => false)).more
}

/** Looks again and again, knowing what it has seen. */
function openIngest(needs: IngestingNeeds) {
  const { db, clock, config, install, random, log, mark } = needs
  const reader = needs.reader ?? readHere(needs)
  const seen = new Map<SessionSource, Map<string, KeptProgress>>()
  /** How locations looked that could not be read, and when: each is told of once, and tried again an hour later. */
  const failed = new Map<string, { stamp: string; at: number }>()
  const hasFailed = ({ id, stamp }: SessionLocation) => {
    const before = failed.get(id)
    return before?.stamp === stamp && clock.now() - before.at < retryMs
  }
  /** Locations that made trouble, by name; read from the store at every look, because a person may pardon them. */
  let troubled = new Map<string, Trouble>()
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
        await nextTurn()
      }
      if (batches >= left || isStopped()) break
    }
    return { batches, locations }
  }

  /** What made trouble is read after everything else, so that all else is safe if it does again. */
  function suspicion({ id }: SessionLocation): number {
    return troubled.has(id) ? 1 : 0
  }

  const by = () => ({ operation: newId(random, "op"), actor: "daemon" })

  /** A location whose reading ended a thread or a process: the second time at the same point it is left out. */
  async function blame(tool: SessionSource["tool"], location: string, position: number, reason: string) {
    const trouble = await strike(db, install, { tool, location, position, reason, at: clock.now() }, by())
    troubled.set(location, trouble)
    const told = { tool, location, reason }
    if (isSkipped(trouble))
      log.error("A transcript is skipped from now on; `reverie sessions retry` reads it again", told)
    else log.warn("Reading a transcript ended badly; trying once more, after all others", told)
  }

  async function lookForTrouble(): Promise<void> {
    troubled = new Map((await troubles(db, install)).map((one) => [one.location, one]))
    if (!isFirst) return
    isFirst = false
    const left = mark?.left()
    mark?.remove()
    if (left === undefined) return
    const progress = await readPositions(db, install, readerOf(left))
    const position = progress.get(left.place)?.position ?? 0
    await blame(left.tool, left.place, position, "the daemon died while reading it")
  }

  /** A reader that leaves a mark while a location can end this process: a suspect only when what was read is kept. */
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
    known: Map<string, KeptProgress>,
    location: SessionLocation,
    isStopped: () => boolean,
  ) {
    const from = known.get(location.id)
    try {
      const { progress, more, passedOver } = await ingestLocation(
        needs,
        readerFor(location),
        source,
        location,
        from,
      )
      if (progress) known.set(location.id, progress)
      else seen.delete(source)
      if (passedOver > 0)
        log.warn("A line of a transcript is too long and was passed over", {
          tool: source.tool,
          location: location.id,
        })
      if (!more && progress && troubled.delete(location.id))
        await pardon(db, install, { location: location.id, at: clock.now(), by: by() })
      return more
    } catch (error) {
      if (isStopped()) return false
      if (error instanceof ReaderDied || holdsTooMuch(error)) {
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

  /** Looks at one source after the other until there was enough for one look. */
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
    await forgetTurns(needs, now, by())
  }

  return {
    async look(isStopped: () => boolean): Promise<Looked> {
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

interface Looked {
  /** Whether there is more to read at once. */
  more: boolean
  /** Whether nothing has happened for a while. */
  isQuiet: boolean
  /** Where something may happen next. */
  folders: string[]
}

/** Folders worth watching: those of what changed within the hour. */
function foldersOf(locations: readonly SessionLocation[], now: number): string[] {
  const recent = locations.filter(({ changedAt }) => now - changedAt < 3_600_000)
  return [...new Set(recent.map(({ id }) => id.replace(/\/[^/]*$/, "")))]
}
