import type { Core } from "../../storage/core.ts"

/** Commits come in bursts; one call for all of them is enough. */
const settleMs = 500

/** Calls `refresh` 500 ms after commits of any process. Returns a function that stops it. */
export function refreshOnChange({ db, clock }: Pick<Core, "db" | "clock">, refresh: () => void): () => void {
  let cancel = () => {}
  const stop = db.onCommit(() => {
    cancel()
    cancel = clock.after(settleMs, refresh)
  })
  return () => {
    stop()
    cancel()
  }
}
