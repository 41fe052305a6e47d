import { sleep } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Embedded } from "../../embedding/embedder.ts"
import type { MemoryCore } from "../model/memory-core.ts"

/** A single memory is saved without its vector after this wait, for example during a download. */
const longestWaitMs = 10_000

/** The vectors of texts; undefined while the embedder does not work. */
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

/** The same with a time limit; undefined after it. */
export async function embedSoon(
  needs: Pick<MemoryCore, "embedder" | "config" | "log" | "clock">,
  texts: readonly string[],
): Promise<(Embedded | undefined)[]> {
  const done = new AbortController()
  const wait = sleep(needs.clock, longestWaitMs, done.signal).then(() => texts.map(() => undefined))
  return Promise.race([embedTexts(needs, texts), wait]).finally(() => done.abort())
}
