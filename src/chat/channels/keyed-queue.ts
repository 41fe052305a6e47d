/** Runs work with the same key one after the other, in the order of the calls. */
export function createKeyedQueue() {
  const last = new Map<string, Promise<unknown>>()
  return <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve()
    const now = before.then(run, run)
    const settled = now
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === settled) last.delete(key)
      })
    last.set(key, settled)
    return now
  }
}
