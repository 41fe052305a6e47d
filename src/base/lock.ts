/** Runs one task at a time, in the order of the calls. */
export interface Lock {
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Creates a lock within this process. */
export function createLock(): Lock {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(work) {
      const result = last.then(work)
      last = result.catch(() => undefined)
      return result
    },
  }
}
