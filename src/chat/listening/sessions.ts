/** Tracks which rooms keep their history: the most recently used ones. */
export function openSessionPool(size: number) {
  let maxSize = size
  const used = new Set<string>()
  return {
    /** Marks a room as used; returns the room that loses its history, if any. */
    use(key: string): string | undefined {
      used.delete(key)
      used.add(key)
      const [oldest] = used
      if (used.size <= maxSize || oldest === undefined) return undefined
      used.delete(oldest)
      return oldest
    },
    resize(next: number): void {
      maxSize = next
    },
  }
}
