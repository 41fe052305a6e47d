import { messageOf } from "../../base/errors.ts"
import { extractDue } from "./extract-due.ts"
import type { ExtractSessionNeeds } from "./extract-session.ts"

/** Commits come in crowds; one look for all of them is enough. */
const settleMs = 2000
/** Sessions fall idle without a commit. */
const everyMs = 60_000

/** Reads sessions when they end, fall idle or have gone on for long. Returns how to stop. */
export function startExtracting(needs: ExtractSessionNeeds): () => Promise<void> {
  const { clock, log, db } = needs
  if (!needs.config.extraction.enabled) return async () => {}
  const stopping = new AbortController()
  let cancel = () => {}
  let working: Promise<void> | undefined
  let isWanted = false
  let isSoon = false
  /** Sessions that could not be read rest for a while. */
  const resting = new Map<string, number>()
  const later = (ms: number) => {
    cancel()
    isSoon = ms <= settleMs
    if (!stopping.signal.aborted) cancel = clock.after(ms, begin)
  }
  function begin(): void {
    isWanted = false
    isSoon = false
    working = extractDue({ ...needs, signal: stopping.signal }, resting)
      .catch((error) => {
        if (!stopping.signal.aborted)
          log.warn("Reading sessions failed; trying again", { reason: messageOf(error) })
      })
      .then(() => {
        working = undefined
        later(isWanted ? settleMs : everyMs)
      })
  }
  const stopListening = db.onCommit(() => {
    if (working) isWanted = true
    else if (!isSoon) later(settleMs)
  })
  begin()
  return async () => {
    stopping.abort(new Error("the daemon stops"))
    cancel()
    stopListening()
    await working
  }
}
