import { startLoop } from "../../base/loop.ts"
import { extractDue } from "./extract-due.ts"
import type { ExtractSessionNeeds } from "./extract-session.ts"

/** Commits come in crowds; one look for all of them is enough. */
const settleMs = 2000
/** Sessions fall idle without a commit. */
const everyMs = 60_000

/** Reads sessions when they end, fall idle or have gone on for long. Returns how to stop. */
export function startExtracting(needs: ExtractSessionNeeds): () => Promise<void> {
  if (!needs.config.extraction.enabled) return async () => {}
  /** Sessions that could not be read rest for a while. */
  const resting = new Map<string, number>()
  const work = async (signal: AbortSignal) => {
    await extractDue({ ...needs, signal }, resting)
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
