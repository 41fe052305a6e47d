/** Which rooms keep their conversation so far: the ones used last, at most so many. */
export interface SessionPool {
  /** A room was used; gives the one that has to go for it, if any. */
  use(key: string): string | undefined
  resize(most: number): void
}

export function openSessionPool(given: number): SessionPool {
  let most = given
  const used = new Set<string>()
  return {
    use(key) {
      used.delete(key)
      used.add(key)
      const [oldest] = used
      if (used.size <= most || oldest === undefined) return undefined
      used.delete(oldest)
      return oldest
    },
    resize(next) {
      most = next
    },
  }
}
