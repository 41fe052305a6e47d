/** Recognises duplicates among the last ids. */
export function createSeenIds(most: number) {
  const ids = new Set<string>()
  return {
    /** True the first time. */
    add(id: string): boolean {
      if (ids.has(id)) return false
      ids.add(id)
      const [oldest] = ids
      if (ids.size > most && oldest !== undefined) ids.delete(oldest)
      return true
    },
  }
}
