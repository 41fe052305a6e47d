import { sleep } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Embedded } from "../../embedding/embedder.ts"
import type { MemoryCore } from "../model/memory-core.ts"

/** A single memory waits no longer than this for its vector, such as while the model is downloaded. */
const longestWaitMs = 10_000

/** The vectors of texts; undefined where no embedder works, since a memory without one is better than none. */
export async function embedTexts(
  { embedder, config, log }: Pick<MemoryCore, "embedder" | "config" | "log">,
  texts: readonly string[],
): Promise<(Embedded | undefined)[]> {
  if (embedder === undefined || texts.length === 0) return texts.map(() => undefined)
  try {
    return await embedder.embed(texts, { tokens: config.embedding.word_vectors, urgent: texts.length === 1 })
  } catch (error) {
    log.warn("Memories are saved without vectors for now", { reason: messageOf(error) })
    return texts.map(() => undefined)
  }
}

/** The same for somebody who waits: what takes too long is undefined. */
export async function embedSoon(
  needs: Pick<MemoryCore, "embedder" | "config" | "log" | "clock">,
  texts: readonly string[],
): Promise<(Embedded | undefined)[]> {
  const done = new AbortController()
  const wait = sleep(needs.clock, longestWaitMs, done.signal).then(() => texts.map(() => undefined))
  return Promise.race([embedTexts(needs, texts), wait]).finally(() => done.abort())
}
