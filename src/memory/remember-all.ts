import { nextTurn } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import { batchSize } from "./batch.ts"
import type { Embedded } from "./embedding/embedder.ts"
import { firstIssue, type ImportRun, noteFailed, noteRefused } from "./import-run.ts"
import { newMemorySchema } from "./memory.ts"
import { prepareMemory, type ReadyMemory } from "./prepare.ts"
import { embedTexts, writeMemories } from "./remember.ts"

/** Something that shall be remembered, as it came, and where it stands in what is taken in. */
export interface Incoming {
  line: number
  /** Reads it; throws if it is nothing that can be remembered. */
  read(): unknown
}

/** Memories that only need to be written, and up to which line. */
interface Batch {
  ready: ReadyMemory[]
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
  let next = batches.next()
  for (;;) {
    const { done, value: batch } = await next
    if (done) return
    next = batches.next()
    // Whoever fails first tells; the other must not go unheard as an unhandled rejection.
    next.catch(() => undefined)
    const written = await writeMemories(run.needs, batch.ready, batch.embedded, run.by)
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
  let ready: ReadyMemory[] = []
  let line = 0
  const batch = async (): Promise<Batch> => {
    const some = ready
    ready = []
    const texts = some.map(({ content }) => content)
    return { ready: some, embedded: await embedTexts(run.needs, texts), line }
  }
  for await (const one of incoming) {
    line = one.line
    const memory = await prepare(run, one, verbatim)
    if (memory) ready.push(memory)
    if (ready.length >= batchSize) yield await batch()
  }
  if (ready.length > 0) yield await batch()
}

async function prepare(run: ImportRun, one: Incoming, verbatim: boolean): Promise<ReadyMemory | undefined> {
  try {
    const given = newMemorySchema.safeParse(one.read())
    if (!given.success) throw new Error(firstIssue(given.error))
    const from = [run.from ?? [], given.data.from ?? []].flat()
    const memory = { ...given.data, ...(verbatim ? { verbatim } : {}), from }
    const ready = await prepareMemory(run.needs, memory)
    if (!("outcome" in ready)) return ready
    noteRefused(run, one.line, ready.reason)
  } catch (error) {
    noteFailed(run, one.line, messageOf(error))
  }
  return undefined
}
