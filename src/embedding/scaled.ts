import type { Clock } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import { around } from "./around.ts"
import type { CosineScale, Embedder } from "./embedder.ts"
import { measureScale, similarityOf } from "./scale.ts"

/** Where scales are kept, so that a model is measured once. */
export interface ScaleStore {
  read(model: string): Promise<CosineScale | undefined>
  save(model: string, scale: CosineScale): Promise<void>
}

interface ScaleNeeds {
  clock: Clock
  log: Log
  scales?: ScaleStore | undefined
}

/** After a failure it is measured again this much later. */
const retryMs = 10 * 60_000

/**
 * Stands before a model that nobody measured: what its cosines mean is found out with the first texts, and kept. Who waits
 * for an answer does not wait for that.
 */
export function scaledEmbedder({ clock, log, scales }: ScaleNeeds, embedder: Embedder): Embedder {
  let scale: CosineScale | undefined
  let isRead = false
  let measuring: Promise<void> | undefined
  let restsUntil = 0

  async function measure(): Promise<void> {
    try {
      scale = await measureScale(embedder)
      if (scale) await scales?.save(embedder.model, scale)
      else log.warn("The embedding model hardly tells texts apart; its cosines are taken as they are", {})
    } catch (error) {
      log.warn("The embedding model could not be measured; trying again later", { reason: messageOf(error) })
    }
    restsUntil = clock.now() + retryMs
  }

  async function prepare(isUrgent: boolean): Promise<void> {
    if (!isRead) {
      scale = await scales?.read(embedder.model)
      isRead = true
    }
    if (scale !== undefined || clock.now() < restsUntil) return
    measuring ??= measure().finally(() => {
      measuring = undefined
    })
    if (!isUrgent) await measuring
  }

  const scaled = around(embedder, {
    async embed(texts, options = {}) {
      await prepare(options.urgent === true)
      return embedder.embed(texts, options)
    },
  })
  return Object.defineProperties(scaled, {
    scale: { get: () => scale, enumerable: true },
    similarity: { get: () => (scale ? similarityOf(scale) : embedder.similarity), enumerable: true },
  })
}
