import { yieldToEventLoop } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { newMemorySchema } from "../model/memory.ts"
import { batchSize } from "../model/store/batch.ts"
import { createImportLookup } from "../model/store/import-keys.ts"
import { embedTexts } from "./embed-texts.ts"
import { countFailed, countRefused, firstIssue, type ImportRun, reportFutureTime } from "./import-run.ts"
import { prepareParts, type ReadyMemory } from "./prepare.ts"
import type { Remembered } from "./remember.ts"
import { type LineBatch, type LineEntry, type LineOutcome, writeLines } from "./write-lines.ts"

/** One line of an import, not yet read. */
export interface ImportLine {
  line: number
  /** The key under which the same line is recognised later; a line without a key is imported each time. */
  key?(read: unknown): string
  /** Throws if the line is unusable. */
  read(): unknown
}

interface RememberAllOptions {
  verbatim: boolean
  /** A line with a sourceId that the same actor used before updates that memory. */
  updates?: boolean
  /** Called for every line, in order. */
  onOutcome?(outcome: LineOutcome): void | Promise<void>
}

/**
 * Saves lines in batches: while one batch is written, the next is prepared and embedded. Unusable lines are counted and
 * reported. Batches that were written before a failure stay.
 */
export async function rememberAll(
  run: ImportRun,
  incoming: AsyncIterable<ImportLine>,
  options: RememberAllOptions,
): Promise<void> {
  const batches = prepareBatches(run, incoming, options.verbatim)[Symbol.asyncIterator]()
  let next = batches.next()
  for (;;) {
    const { done, value: batch } = await next
    if (done) return
    next = batches.next()
    // The failure of this batch is thrown first; the next one's must not become an unhandled rejection.
    next.catch(() => undefined)
    const outcomes = await writeLines(run, batch, options.updates === true)
    for (const entry of batch.entries) {
      const outcome = outcomeOf(run, entry, outcomes)
      await options.onOutcome?.(outcome)
    }
    run.onProgress(batch.entries.at(-1)?.line ?? 0)
    await yieldToEventLoop()
  }
}

/** The outcome of a line; written lines are counted here. */
function outcomeOf(
  run: ImportRun,
  entry: LineEntry,
  outcomes: ReadonlyMap<LineEntry, Remembered>,
): LineOutcome {
  const { line, sourceId } = entry
  const named = sourceId === undefined ? {} : { sourceId }
  if (entry.outcome) return { line, ...entry.outcome, ...named }
  const written = outcomes.get(entry)
  if (written === undefined) throw new Error("a line was neither written nor refused")
  if (written.outcome === "refused") countRefused(run, line, written.reason)
  else run.tally[written.outcome === "conflict" ? "conflicts" : written.outcome] += 1
  return { line, ...written, ...named }
}

async function* prepareBatches(
  run: ImportRun,
  incoming: AsyncIterable<ImportLine>,
  verbatim: boolean,
): AsyncGenerator<LineBatch> {
  const knownImports = createImportLookup(run.needs.db)
  let waiting: LineEntry[] = []
  const batch = async (): Promise<LineBatch> => {
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
      waiting.push(await prepareEntry(run, one, known, verbatim))
      if (sizeOf(waiting) >= batchSize) yield await batch()
    }
  }
  if (waiting.length > 0) yield await batch()
}

/** Lines that are not written count too, so that batches stay small. */
function sizeOf(entries: readonly LineEntry[]): number {
  let size = 0
  for (const { parts } of entries) size += Math.max(1, parts.length)
  return size
}

async function prepareEntry(
  run: ImportRun,
  one: ReadLine,
  known: ReadonlyMap<string, string>,
  verbatim: boolean,
): Promise<LineEntry> {
  const id = one.key === undefined ? undefined : known.get(one.key)
  if (id !== undefined) {
    run.tally.unchanged += 1
    return { ...one, outcome: { outcome: "unchanged", id } }
  }
  const prepared = await prepare(run, one, verbatim)
  return Array.isArray(prepared) ? { ...one, parts: prepared } : { ...one, outcome: prepared }
}

interface ReadLine extends LineEntry {
  value?: unknown
  /** Why it could not be read. */
  error?: unknown
}

/** Chunks of as many lines as are searched for at once. */
async function* inChunks(incoming: AsyncIterable<ImportLine>): AsyncGenerator<ReadLine[]> {
  let chunk: ReadLine[] = []
  for await (const one of incoming) {
    chunk.push(readLine(one))
    if (chunk.length < batchSize) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

function readLine({ line, read, key }: ImportLine): ReadLine {
  try {
    const value = read()
    const { sourceId } = Object(value) as { sourceId?: unknown }
    const named = typeof sourceId === "string" ? sourceId : undefined
    return { line, key: key?.(value), sourceId: named, parts: [], value }
  } catch (error) {
    return { line, parts: [], error }
  }
}

/** The memories of a line, several if its text is long; or why there are none. */
async function prepare(
  run: ImportRun,
  one: ReadLine,
  verbatim: boolean,
): Promise<ReadyMemory[] | Omit<LineOutcome, "line">> {
  try {
    const { value, error } = one
    if (error !== undefined) throw error
    const parsed = newMemorySchema.safeParse(value)
    if (!parsed.success) throw new Error(firstIssue(parsed.error, value))
    const from = [run.from ?? [], parsed.data.from ?? []].flat()
    const memory = { ...parsed.data, ...(verbatim ? { verbatim } : {}), from }
    const ready = await prepareParts(run.needs, memory)
    if ("outcome" in ready) {
      countRefused(run, one.line, ready.reason)
      return ready
    }
    if (parsed.data.createdAt !== undefined && ready[0]?.input.createdAt === undefined)
      reportFutureTime(run, one.line)
    return ready
  } catch (error) {
    return { outcome: "failed", reason: countFailed(run, one.line, messageOf(error)) }
  }
}
