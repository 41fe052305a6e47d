import { type Loop, startLoop } from "../base/loop.ts"
import type { InstallCore } from "../storage/core.ts"
import { readDue } from "./read-due.ts"
import type { SessionReader } from "./read-session.ts"

/** Commits come in bursts; one check for all of them is enough. */
const settleMs = 2000
/** Sessions become idle without a commit. */
const everyMs = 60_000

/** Reads sessions when they end, become idle or get long. Returns a function that stops it. */
export function startReading(needs: InstallCore, reader: SessionReader<object>): () => Promise<void> {
  if (!needs.config.extraction.enabled) return async () => {}
  /** When each session that failed may be read again. */
  const resting = new Map<string, number>()
  const work = async (signal: AbortSignal) => {
    await readDue({ ...needs, signal }, reader, resting)
    return everyMs
  }
  const problem = "Reading sessions failed; trying again"
  const wakeOn = (loop: Loop) => needs.db.onCommit(() => loop.wakeWithin(settleMs))
  return startLoop(needs, { work, problem, retryMs: everyMs, wakeOn }).stop
}
