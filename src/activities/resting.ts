import { startLoop } from "../base/loop.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"

const checkEveryMs = 30_000

/**
 * Releases memory when the daemon becomes idle: after its start, and when the embedder unloads its model because nothing
 * was remembered or searched for a while.
 */
export function startResting({
  clock,
  log,
  embedder,
  collectGarbage,
}: Pick<MemoryCore, "clock" | "log" | "embedder"> & {
  /** Runs the garbage collector. */
  collectGarbage(): void
}): () => Promise<void> {
  let wasBusy = true
  const work = async () => {
    const isBusy = embedder !== undefined && embedder.status().state !== "idle"
    if (wasBusy && !isBusy) collectGarbage()
    wasBusy = isBusy
    return checkEveryMs
  }
  const problem = "Memory could not be released"
  return startLoop({ clock, log }, { work, firstMs: checkEveryMs, problem, retryMs: checkEveryMs }).stop
}
