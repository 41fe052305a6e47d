import { nextTurn } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import { batchSize } from "./batch.ts"
import type { Embedded } from "./embedding/embedder.ts"
import { createKnownImports, putImportKeys } from "./import-keys.ts"
import { firstIssue, type ImportRun, noteFailed, noteRefused, noteTime } from "./import-run.ts"
import { newMemorySchema } from "./memory.ts"
import { prepareMemory, type ReadyMemory } from "./prepare.ts"
import { embedTexts, writeMemories } from "./remember.ts"

/** Something that shall be remembered, as it came, and where it stands in what is taken in. */
export interface Incoming {
  line: number
  /** What it is known by when it comes a second time, from what was read; without one it is taken in each time. */
  key?(read: unknown): string
  /** Reads it; throws if it is nothing that can be remembered. */
  read(): unknown
}

/** Memories that only need to be written, and up to which line. */
interface Batch {
  ready: ReadyMemory[]
  keys: (string | undefined)[]
  embedded: (Embedded | undefined)[]
  line: number
}

/**
 * Remembers many, a batch at a time: while one is written, the next is already looked through and embedded. What cannot
 * be used is counted and named; what was written before something fails stays.
 */
export async function rememberAll(
  run: ImportRun,
  incoming: AsyncIterable<Incoming>,
  options: { verbatim: boolean },
): Promise<void> {
  const batches = prepareBatches(run, incoming, options.verbatim)[Symbol.asyncIterator]()
  const { operation } = run.by
  let next = batches.next()
  for (;;) {
    const { done, value: batch } = await next
    if (done) return
    next = batches.next()
    // Whoever fails first tells; the other must not go unheard as an unhandled rejection.
    next.catch(() => undefined)
    const written = await writeMemories(run.needs, batch.ready, batch.embedded, run.by, {
      async after(transaction, outcomes) {
        const keys = batch.keys.flatMap((key, index) => {
          const memory = outcomes[index]?.id
          return key === undefined || memory === undefined ? [] : [{ key, operation, memory }]
        })
        await putImportKeys(transaction, keys)
      },
    })
    for (const { outcome } of written) run.tally[outcome === "conflict" ? "conflicts" : outcome] += 1
    run.onProgress(batch.line)
    await nextTurn()
  }
}

async function* prepareBatches(
  run: ImportRun,
  incoming: AsyncIterable<Incoming>,
  verbatim: boolean,
): AsyncGenerator<Batch> {
  const knownImports = createKnownImports(run.needs.db)
  let ready: { memory: ReadyMemory; key: string | undefined }[] = []
  let line = 0
  const batch = async (): Promise<Batch> => {
    const some = ready.slice(0, batchSize)
    ready = ready.slice(batchSize)
    const memories = some.map(({ memory }) => memory)
    const embedded = await embedTexts(
      run.needs,
      memories.map(({ content }) => content),
    )
    return { ready: memories, keys: some.map(({ key }) => key), embedded, line }
  }
  for await (const some of inChunks(incoming)) {
    line = some.at(-1)?.line ?? line
    const known = await knownImports(some.flatMap(({ key }) => key ?? []))
    for (const one of some) {
      if (one.key !== undefined && known.has(one.key)) run.tally.unchanged += 1
      else {
        const memory = await prepare(run, one, verbatim)
        if (memory) ready.push({ memory, key: one.key })
      }
    }
    if (ready.length >= batchSize) yield await batch()
  }
  while (ready.length > 0) yield await batch()
}

/** What came in and was read, or why it could not be. */
interface Read {
  line: number
  key: string | undefined
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
    return { line, key: key?.(value), value: () => value }
  } catch (error) {
    return {
      line,
      key: undefined,
      value() {
        throw error
      },
    }
  }
}

async function prepare(run: ImportRun, one: Read, verbatim: boolean): Promise<ReadyMemory | undefined> {
  try {
    const value = one.value()
    const given = newMemorySchema.safeParse(value)
    if (!given.success) throw new Error(firstIssue(given.error, value))
    const from = [run.from ?? [], given.data.from ?? []].flat()
    const memory = { ...given.data, ...(verbatim ? { verbatim } : {}), from }
    const ready = await prepareMemory(run.needs, memory)
    if ("outcome" in ready) noteRefused(run, one.line, ready.reason)
    else {
      if (given.data.createdAt !== undefined && ready.given.createdAt === undefined) {
        noteTime(run, one.line)
      }
      return ready
    }
  } catch (error) {
    noteFailed(run, one.line, messageOf(error))
  }
  return undefined
}
