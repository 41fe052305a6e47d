/** A cluster of an earlier run, and the ids of its members. */
export interface OldCluster {
  id: string
  members: readonly string[]
}

// The minimum Jaccard similarity of the members of two clusters.
const minOverlap = 0.1

/**
 * For each new cluster the id of the old one it continues, or undefined for a new one. The pair with the highest Jaccard
 * similarity of members is matched first; no old cluster is continued twice.
 */
export function matchClusters(
  before: readonly OldCluster[],
  after: readonly (readonly string[])[],
): (string | undefined)[] {
  const pairs = overlaps(before, after).filter(({ overlap }) => overlap >= minOverlap)
  pairs.sort(
    (a, b) => b.overlap - a.overlap || b.shared - a.shared || compareText(a.id, b.id) || a.index - b.index,
  )
  const ids: (string | undefined)[] = after.map(() => undefined)
  const taken = new Set<string>()
  for (const { id, index } of pairs) {
    if (taken.has(id) || ids[index] !== undefined) continue
    ids[index] = id
    taken.add(id)
  }
  return ids
}

interface Overlap {
  id: string
  /** The new cluster's index. */
  index: number
  shared: number
  overlap: number
}

function overlaps(before: readonly OldCluster[], after: readonly (readonly string[])[]): Overlap[] {
  const home = new Map(before.flatMap(({ id, members }) => members.map((member) => [member, id] as const)))
  const sizes = new Map(before.map(({ id, members }) => [id, members.length]))
  return after.flatMap((members, index) => {
    const shares = new Map<string, number>()
    for (const member of members) {
      const id = home.get(member)
      if (id !== undefined) shares.set(id, (shares.get(id) ?? 0) + 1)
    }
    return [...shares].map(([id, shared]) => {
      const together = (sizes.get(id) ?? 0) + members.length - shared
      return { id, index, shared, overlap: shared / together }
    })
  })
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
