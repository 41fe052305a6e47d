import { yieldToEventLoop } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import { type Loop, startLoop } from "../base/loop.ts"
import type { Embedder } from "../embedding/embedder.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import type { ClusterCache } from "../memory/topics/clusters/join-clusters.ts"
import { embedMissing } from "../memory/write/vectors.ts"

/** Memories per transaction. */
const batchSize = 32
/** Pause after a failure, such as a download without a connection. */
const retryMs = 5 * 60_000
/** Several commits in a row cause one run. */
const settleMs = 250

/** A command without a daemon embeds at most this many memories before it searches, in batches. */
const someMemories = 64
const someAtOnce = 16
/** A search waits at most this long for a remote server. */
const someMs = 2000

/** Embeds some memories without a vector before a search. Fails if the embedder fails. */
export async function embedSome(
  needs: Omit<MemoryCore & { clusters: ClusterCache }, "embedder" | "log"> & { embedder: Embedder },
): Promise<void> {
  const { clock, config } = needs
  const tokens = config.embedding.word_vectors
  const until = config.embedding.model === "remote" ? clock.now() + someMs : Number.POSITIVE_INFINITY
  for (let done = 0; done < someMemories && clock.now() < until; done += someAtOnce) {
    if ((await embedMissing({ ...needs, tokens, urgent: true }, someAtOnce)) < someAtOnce) return
  }
}

/** Embeds memories without a vector of the current model, now and after each commit that added some. */
export function startEmbedding(needs: MemoryCore & { clusters: ClusterCache }): () => Promise<void> {
  const { db, embedder, clusters, clock, log } = needs
  if (embedder === undefined) return async () => {}
  const model = embedder
  const tokens = needs.config.embedding.word_vectors
  /** After a failure, commits do not cause an earlier retry. */
  let restsUntil = 0
  /** Whether something was committed since the run began. */
  let isWanted = false

  async function work(signal: AbortSignal): Promise<number> {
    isWanted = false
    try {
      await embedAll(signal)
    } catch (error) {
      if (signal.aborted) return Number.POSITIVE_INFINITY
      const restMs = Math.max(0, (model.status().retryAt ?? clock.now() + retryMs) - clock.now())
      restsUntil = clock.now() + restMs
      log.warn(problem, { reason: messageOf(error) })
      return restMs
    }
    return isWanted ? settleMs : Number.POSITIVE_INFINITY
  }

  async function embedAll(signal: AbortSignal): Promise<void> {
    let done = 0
    while (!signal.aborted) {
      const count = await embedMissing({ db, embedder: model, clusters, tokens }, batchSize)
      if (count === 0) break
      done += count
      await yieldToEventLoop()
    }
    if (done > 0) log.info("Embedded memories", { memories: done, model: model.model })
  }

  const problem = "Memories could not be embedded; trying again later"
  const wakeOn = (loop: Loop) =>
    db.onCommit(() => {
      if (loop.isRunning()) isWanted = true
      else if (clock.now() >= restsUntil) loop.postpone(settleMs)
    })
  return startLoop(needs, { work, problem, retryMs, wakeOn }).stop
}
