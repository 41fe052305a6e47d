import type { Clock } from "../../base/clock.ts"
import type { Database } from "../../storage/database.ts"

/** Work that nobody waits for, except whoever stops. */
export interface Background {
  run(work: Promise<unknown> | undefined): void
  settled(): Promise<void>
}

/** Makes an empty one. */
export function createBackground(onFailed: (error: unknown) => void): Background {
  const running = new Set<Promise<unknown>>()
  return {
    run(work: Promise<unknown> | undefined): void {
      if (work === undefined) return
      const done = work.catch(onFailed).finally(() => running.delete(done))
      running.add(done)
    },
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all([...running])
    },
  }
}

/** Commits come in crowds; one call for all of them is enough. */
const settleMs = 500

/** Calls back some time after commits of any process. Returns how to stop. */
export function refreshOnChange(
  { db, clock }: { db: Database; clock: Clock },
  refresh: () => void,
): () => void {
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
