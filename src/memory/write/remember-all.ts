import { nextTurn } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { newMemorySchema } from "../model/memory.ts"
import { batchSize } from "../model/store/batch.ts"
import { createKnownImports } from "../model/store/import-keys.ts"
import { embedTexts } from "./embed-texts.ts"
import { firstIssue, type ImportRun, noteFailed, noteRefused, noteTime } from "./import-run.ts"
import { prepareParts, type ReadyMemory } from "./prepare.ts"
import type { Remembered } from "./remember.ts"
import { type Batch, type Entry, type LineOutcome, writeLines } from "./write-lines.ts"

/** Something that shall be remembered, as it came, and where it stands in what is taken in. */
export interface Incoming {
  line: number
  /** What it is known by when it comes a second time, from what was read; without one it is taken in each time. */
  key?(read: unknown): string
  /** Reads it; throws if it is nothing that can be remembered. */
  read(): unknown
}

interface RememberAllOptions {
  verbatim: boolean
  /** What comes with a sourceId that the same actor gave before updates that memory. */
  updates?: boolean
  /** Hears of every line, in order. */
  onOutcome?(outcome: LineOutcome): void | Promise<void>
}

/**
 * Remembers many, a batch at a time: while one is written, the next is already looked through and embedded. What cannot
 * be used is counted and named; what was written before something fails stays. Never more than some batches are held.
 */
export async function rememberAll(
  run: ImportRun,
  incoming: AsyncIterable<Incoming>,
  options: RememberAllOptions,
): Promise<void> {
  const batches = prepareBatches(run, incoming, options.verbatim)[Symbol.asyncIterator]()
  let next = batches.next()
  for (;;) {
    const { done, value: batch } = await next
    if (done) return
    next = batches.next()
    // Whoever fails first tells; the other must not go unheard as an unhandled rejection.
    next.catch(() => undefined)
    const outcomes = await writeLines(run, batch, options.updates === true)
    for (const entry of batch.entries) {
      const outcome = outcomeOf(run, entry, outcomes)
      await options.onOutcome?.(outcome)
    }
    run.onProgress(batch.entries.at(-1)?.line ?? 0)
    await nextTurn()
  }
}

/** What became of a line; what was written is counted now. */
function outcomeOf(run: ImportRun, entry: Entry, outcomes: ReadonlyMap<Entry, Remembered>): LineOutcome {
  const { line, sourceId } = entry
  const named = sourceId === undefined ? {} : { sourceId }
  if (entry.told) return { line, ...entry.told, ...named }
  const told = outcomes.get(entry)
  if (told === undefined) throw new Error("a line was neither written nor refused")
  if (told.outcome === "refused") noteRefused(run, line, told.reason)
  else run.tally[told.outcome === "conflict" ? "conflicts" : told.outcome] += 1
  return { line, ...told, ...named }
}

async function* prepareBatches(
  run: ImportRun,
  incoming: AsyncIterable<Incoming>,
  verbatim: boolean,
): AsyncGenerator<Batch> {
  const knownImports = createKnownImports(run.needs.db)
  let waiting: Entry[] = []
  const batch = async (): Promise<Batch> => {
    const entries = waiting
    waiting = []
    const parts = entries.flatMap((entry) => entry.parts)
    const embedded = await embedTexts(
      run.needs,
      parts.map(({ content }) => content),
    )
    return { entries, embedded: new Map(parts.map((one, index) => [one, embedded[index]])) }
  }
  for await (const some of inChunks(incoming)) {
    const known = await knownImports(some.flatMap(({ key }) => key ?? []))
    for (const one of some) {
      waiting.push(await entryOf(run, one, known, verbatim))
      if (sizeOf(waiting) >= batchSize) yield await batch()
    }
  }
  if (waiting.length > 0) yield await batch()
}

/** Lines that are not written count too, so that what waits to be told stays small. */
function sizeOf(entries: readonly Entry[]): number {
  let size = 0
  for (const { parts } of entries) size += Math.max(1, parts.length)
  return size
}

async function entryOf(
  run: ImportRun,
  one: Read,
  known: ReadonlyMap<string, string>,
  verbatim: boolean,
): Promise<Entry> {
  const entry: Entry = { line: one.line, sourceId: one.sourceId, key: one.key, parts: [], told: undefined }
  const id = one.key === undefined ? undefined : known.get(one.key)
  if (id !== undefined) {
    run.tally.unchanged += 1
    return { ...entry, told: { outcome: "unchanged", id } }
  }
  const prepared = await prepare(run, one, verbatim)
  return Array.isArray(prepared) ? { ...entry, parts: prepared } : { ...entry, told: prepared }
}

/** What came in and was read, or why it could not be. */
interface Read {
  line: number
  key: string | undefined
  sourceId: string | undefined
  value(): unknown
}

/** As many at a time as are looked up at once. */
async function* inChunks(incoming: AsyncIterable<Incoming>): AsyncGenerator<Read[]> {
  let chunk: Read[] = []
  for await (const one of incoming) {
    chunk.push(readOf(one))
    if (chunk.length < batchSize) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

function readOf({ line, read, key }: Incoming): Read {
  try {
    const value = read()
    const { sourceId } = Object(value) as { sourceId?: unknown }
    const named = typeof sourceId === "string" ? sourceId : undefined
    return { line, key: key?.(value), sourceId: named, value: () => value }
  } catch (error) {
    return {
      line,
      key: undefined,
      sourceId: undefined,
      value() {
        throw error
      },
    }
  }
}

/** A line's memories, one unless its text is long; or why there are none. */
async function prepare(
  run: ImportRun,
  one: Read,
  verbatim: boolean,
): Promise<ReadyMemory[] | Omit<LineOutcome, "line">> {
  try {
    const value = one.value()
    const given = newMemorySchema.safeParse(value)
    if (!given.success) throw new Error(firstIssue(given.error, value))
    const from = [run.from ?? [], given.data.from ?? []].flat()
    const memory = { ...given.data, ...(verbatim ? { verbatim } : {}), from }
    const ready = await prepareParts(run.needs, memory)
    if ("outcome" in ready) {
      noteRefused(run, one.line, ready.reason)
      return ready
    }
    if (given.data.createdAt !== undefined && ready[0]?.given.createdAt === undefined) noteTime(run, one.line)
    return ready
  } catch (error) {
    return { outcome: "failed", reason: noteFailed(run, one.line, messageOf(error)) }
  }
}
