/** The ids seen last, so that what comes twice is told once. */
export interface SeenIds {
  /** True the first time. */
  add(id: string): boolean
}

export function createSeenIds(most: number): SeenIds {
  const ids = new Set<string>()
  return {
    add(id) {
      if (ids.has(id)) return false
      ids.add(id)
      const [oldest] = ids
      if (ids.size > most && oldest !== undefined) ids.delete(oldest)
      return true
    },
  }
}
