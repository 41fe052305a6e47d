import type { Distances } from "./distances.ts"
import type { Pace } from "./pace.ts"

/**
 * The edges of a minimum spanning tree. An edge's reach is the squared mutual reachability: the maximum of the distance
 * and both core distances. Among edges of equal reach the smaller distance comes first, so that the tree does not depend
 * on the order of the vectors.
 */
export interface SpanningTree {
  from: Int32Array
  to: Int32Array
  reach: Float64Array
  squared: Float64Array
}

/** The best edge into the tree so far, for each vector outside it. */
interface Growth {
  cores: Float64Array
  reach: Float64Array
  squared: Float64Array
  source: Int32Array
}

/** Prim's algorithm without a table of all pairs; `cores` are squared core distances. */
export async function spanTree(distances: Distances, cores: Float64Array, pace: Pace): Promise<SpanningTree> {
  const { count, width, others } = distances
  const edges = Math.max(0, count - 1)
  const tree: SpanningTree = {
    from: new Int32Array(edges),
    to: new Int32Array(edges),
    reach: new Float64Array(edges),
    squared: new Float64Array(edges),
  }
  const growth: Growth = {
    cores,
    reach: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    squared: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    source: new Int32Array(count),
  }
  for (let row = 1; row < count; row += 1) others[row - 1] = row
  let newest = 0
  for (let edge = 0, left = edges; edge < edges; edge += 1, left -= 1) {
    const found = distances.from(newest, left)
    const at = improve(growth, newest, others, found, left)
    newest = others[at] ?? 0
    others[at] = others[left - 1] ?? 0
    tree.from[edge] = growth.source[newest] ?? 0
    tree.to[edge] = newest
    tree.reach[edge] = growth.reach[newest] ?? 0
    tree.squared[edge] = growth.squared[newest] ?? 0
    if (pace.spend(left * width)) await pace.rest()
  }
  return tree
}

/**
 * Updates the best edges of the first `left` vectors outside with those to the newest vector, whose squared distances are
 * `found`. Returns the index of the vector with the best edge.
 */
function improve(
  growth: Growth,
  newest: number,
  outside: Int32Array,
  found: Float64Array,
  left: number,
): number {
  const { cores, reach, squared, source } = growth
  const core = cores[newest] ?? 0
  let at = 0
  let best = Number.POSITIVE_INFINITY
  let bestSquared = Number.POSITIVE_INFINITY
  for (let index = 0; index < left; index += 1) {
    const row = outside[index] ?? 0
    const distance = found[index] ?? 0
    const offered = Math.max(core, cores[row] ?? 0, distance)
    if (isShorter(offered, distance, reach[row] ?? 0, squared[row] ?? 0)) {
      reach[row] = offered
      squared[row] = distance
      source[row] = newest
    }
    const own = reach[row] ?? 0
    const ownSquared = squared[row] ?? 0
    if (isShorter(own, ownSquared, best, bestSquared)) {
      at = index
      best = own
      bestSquared = ownSquared
    }
  }
  return at
}

function isShorter(reach: number, squared: number, thanReach: number, thanSquared: number): boolean {
  return reach < thanReach || (reach === thanReach && squared < thanSquared)
}
