/** Work that nothing waits for, except who closes its owner. */
export interface Background {
  run(work: Promise<unknown> | undefined): void
  settled(): Promise<void>
}

/** Errors go to `onFailed`. */
export function createBackground(onFailed: (error: unknown) => void): Background {
  const running = new Set<Promise<unknown>>()
  return {
    run(work) {
      if (work === undefined) return
      const done = work.catch(onFailed).finally(() => running.delete(done))
      running.add(done)
    },
    async settled() {
      while (running.size > 0) await Promise.all([...running])
    },
  }
}
