import type { Core } from "../../storage/core.ts"

/** Runs work that only `close` waits for. */
export interface Background {
  run(work: Promise<unknown> | undefined): void
  settled(): Promise<void>
}

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
