import type { Clock } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import type { CosineScale, Embedder } from "./embedder.ts"
import { measureScale, similarityOf } from "./scale.ts"
import { wrapEmbedder } from "./wrap-embedder.ts"

/** Stores measured scales, so that a model is measured once. */
export interface ScaleStore {
  read(model: string): Promise<CosineScale | undefined>
  save(model: string, scale: CosineScale): Promise<void>
}

/** The pause after a failed measurement. */
const retryMs = 10 * 60_000

/** Wraps a model of unknown scale: its scale is measured with the first texts and stored. Urgent calls do not wait for it. */
export function scaledEmbedder(
  { clock, log, scales }: { clock: Clock; log: Log; scales?: ScaleStore | undefined },
  embedder: Embedder,
): Embedder {
  let scale: CosineScale | undefined
  let isRead = false
  let measuring: Promise<void> | undefined
  let retryAt = 0

  async function measure(): Promise<void> {
    try {
      scale = await measureScale(embedder)
      if (scale) await scales?.save(embedder.model, scale)
      else log.warn("The embedding model hardly distinguishes texts; its cosines are used as they are", {})
    } catch (error) {
      log.warn("The embedding model could not be measured; trying again later", { reason: messageOf(error) })
    }
    retryAt = clock.now() + retryMs
  }

  async function prepare(isUrgent: boolean): Promise<void> {
    if (!isRead) {
      scale = await scales?.read(embedder.model)
      isRead = true
    }
    if (scale !== undefined || clock.now() < retryAt) return
    measuring ??= measure().finally(() => {
      measuring = undefined
    })
    if (!isUrgent) await measuring
  }

  const scaled = wrapEmbedder(embedder, {
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
