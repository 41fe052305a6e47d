/** Lets one piece of work run at a time, in the order of asking. */
export interface Lock {
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Makes a lock for use inside one process. */
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
