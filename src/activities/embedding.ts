import { nextTurn } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import { startLoop } from "../base/loop.ts"
import type { Embedder } from "../embedding/embedder.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import type { ClusterCache } from "../memory/topics/clusters/join-clusters.ts"
import { embedMissing } from "../memory/write/vectors.ts"

/** How many memories get their vectors in one transaction. */
const batchSize = 32
/** After a failure, such as no connection for the download, it is tried again this much later. */
const retryMs = 5 * 60_000
/** Commits come in crowds; one look for all of them is enough. */
const settleMs = 250

/** A command without a daemon gives vectors to this many memories before it searches, so many at a time. */
const someMemories = 64
const someAtOnce = 16
/** Whoever waits for a search waits no longer than this for a server to catch up. */
const someMs = 2000

/** Gives vectors to some memories that have none, for somebody who waits. Fails as the embedder does. */
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

/** Gives vectors to memories that have none of the present model, now and whenever some were saved without. */
export function startEmbedding(needs: MemoryCore & { clusters: ClusterCache }): () => Promise<void> {
  const { db, embedder, clusters, clock, log } = needs
  if (embedder === undefined) return async () => {}
  const model = embedder
  const tokens = needs.config.embedding.word_vectors
  /** After a failure, commits are no reason to try sooner. */
  let restsUntil = 0
  /** Whether something was committed since the work began. */
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
      await nextTurn()
    }
    if (done > 0) log.info("Gave vectors to memories that had none", { memories: done, model: model.model })
  }

  const problem = "Memories could not be given vectors; trying again later"
  const loop = startLoop(needs, { work, problem, retryMs })
  const stopListening = db.onCommit(() => {
    if (loop.isWorking()) isWanted = true
    else if (clock.now() >= restsUntil) loop.putOff(settleMs)
  })
  return async () => {
    stopListening()
    await loop.stop()
  }
}
