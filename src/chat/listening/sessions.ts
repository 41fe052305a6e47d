/** Which rooms keep their conversation so far: the ones used last, at most so many. */
export function openSessionPool(given: number) {
  let most = given
  const used = new Set<string>()
  return {
    /** A room was used; gives the one that has to go for it, if any. */
    use(key: string): string | undefined {
      used.delete(key)
      used.add(key)
      const [oldest] = used
      if (used.size <= most || oldest === undefined) return undefined
      used.delete(oldest)
      return oldest
    },
    resize(next: number): void {
      most = next
    },
  }
}
