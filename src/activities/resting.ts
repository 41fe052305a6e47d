import { startLoop } from "../base/loop.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"

const lookMs = 30_000

/**
 * Gives memory back when the daemon falls idle: once it has started, and whenever the embedder's model was put away,
 * which means that nothing was remembered or searched for a while.
 */
export function startResting({
  clock,
  log,
  embedder,
  collectGarbage,
}: Pick<MemoryCore, "clock" | "log" | "embedder"> & {
  /** Gives back memory that is no longer used. */
  collectGarbage(): void
}): () => Promise<void> {
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
