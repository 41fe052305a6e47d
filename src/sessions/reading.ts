import { startLoop } from "../base/loop.ts"
import type { InstallCore } from "../storage/core.ts"
import { readDue } from "./read-due.ts"
import type { SessionReader } from "./read-session.ts"

/** Commits come in crowds; one look for all of them is enough. */
const settleMs = 2000
/** Sessions fall idle without a commit. */
const everyMs = 60_000

/** Has sessions read when they end, fall idle or have gone on for long. Returns how to stop. */
export function startReading(needs: InstallCore, reader: SessionReader<object>): () => Promise<void> {
  if (!needs.config.extraction.enabled) return async () => {}
  /** Sessions that could not be read rest for a while. */
  const resting = new Map<string, number>()
  const work = async (signal: AbortSignal) => {
    await readDue({ ...needs, signal }, reader, resting)
    return everyMs
  }
  const problem = "Reading sessions failed; trying again"
  const loop = startLoop(needs, { work, problem, retryMs: everyMs })
  const stopListening = needs.db.onCommit(() => loop.soon(settleMs))
  return async () => {
    stopListening()
    await loop.stop()
  }
}
