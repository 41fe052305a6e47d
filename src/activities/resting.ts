import type { Clock } from "../base/clock.ts"
import type { Log } from "../base/log.ts"
import { startLoop } from "../base/loop.ts"
import type { Embedder } from "../embedding/embedder.ts"

interface RestingNeeds {
  clock: Clock
  log: Log
  embedder: Embedder | undefined
  /** Gives back memory that is no longer used. */
  collectGarbage(): void
}

const lookMs = 30_000

/**
 * Gives memory back when the daemon falls idle: once it has started, and whenever the embedder's model was put away,
 * which means that nothing was remembered or searched for a while.
 */
export function startResting({ clock, log, embedder, collectGarbage }: RestingNeeds): () => Promise<void> {
  let wasBusy = true
  const work = async () => {
    const isBusy = embedder !== undefined && embedder.status().state !== "idle"
    if (wasBusy && !isBusy) collectGarbage()
    wasBusy = isBusy
    return lookMs
  }
  const problem = "Memory could not be given back"
  return startLoop({ clock, log }, { work, firstMs: lookMs, problem, retryMs: lookMs }).stop
}
