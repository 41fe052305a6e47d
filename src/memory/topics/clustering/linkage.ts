import { type Pace, stepWork } from "./pace.ts"
import type { SpanningTree } from "./spanning-tree.ts"

/**
 * The merges of single linkage, from the shortest edge to the longest. Nodes below `points` are vectors; merge m is node
 * `points + m`, made of `left[m]` and `right[m]`. Merges of equal edges have the same level: they happen together.
 */
export interface Linkage {
  points: number
  left: Int32Array
  right: Int32Array
  size: Int32Array
  level: Int32Array
  /** The squared mutual reachability of each merge. */
  reach: Float64Array
}

/** Turns a spanning tree into single linkage. */
export async function linkEdges(tree: SpanningTree, pace: Pace): Promise<Linkage> {
  const merges = tree.from.length
  const points = merges + 1
  const linkage: Linkage = {
    points,
    left: new Int32Array(merges),
    right: new Int32Array(merges),
    size: new Int32Array(merges),
    level: new Int32Array(merges),
    reach: new Float64Array(merges),
  }
  const top = Int32Array.from({ length: points + merges }, (_, node) => node)
  let level = 0
  let before = -1
  for (const [merge, edge] of shortestFirst(tree).entries()) {
    const left = topOf(top, tree.from[edge] ?? 0)
    const right = topOf(top, tree.to[edge] ?? 0)
    if (before >= 0 && compareEdges(tree, before, edge) !== 0) level += 1
    linkage.left[merge] = left
    linkage.right[merge] = right
    linkage.size[merge] = sizeOf(linkage, left) + sizeOf(linkage, right)
    linkage.level[merge] = level
    linkage.reach[merge] = tree.reach[edge] ?? 0
    top[left] = points + merge
    top[right] = points + merge
    before = edge
    if (pace.spend(stepWork)) await pace.rest()
  }
  return linkage
}

/** The nodes that a merge consists of below its own level: two, or more where several merges happen together. */
export function partsOf(linkage: Linkage, node: number): number[] {
  const { points, left, right, level } = linkage
  const own = level[node - points]
  const parts: number[] = []
  const open = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const isSameLevel = next >= points && level[next - points] === own
    if (isSameLevel) open.push(right[next - points] ?? 0, left[next - points] ?? 0)
    else parts.push(next)
  }
  return parts
}

/** The number of vectors in a node. */
export function sizeOf({ points, size }: Linkage, node: number): number {
  return node < points ? 1 : (size[node - points] ?? 0)
}

/** Calls `visit` for every vector in a node. */
export function eachPoint(
  { points, left, right }: Linkage,
  node: number,
  visit: (point: number) => void,
): void {
  const open = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next < points) visit(next)
    else open.push(right[next - points] ?? 0, left[next - points] ?? 0)
  }
}

function shortestFirst(tree: SpanningTree): Int32Array {
  const edges = Int32Array.from({ length: tree.from.length }, (_, edge) => edge)
  return edges.sort((a, b) => compareEdges(tree, a, b))
}

function compareEdges({ reach, squared }: SpanningTree, a: number, b: number): number {
  const byReach = (reach[a] ?? 0) - (reach[b] ?? 0)
  return byReach !== 0 ? byReach : (squared[a] ?? 0) - (squared[b] ?? 0)
}

// Union-find with path halving.
function topOf(top: Int32Array, node: number): number {
  let at = node
  for (let up = top[at] ?? at; up !== at; up = top[at] ?? at) {
    top[at] = top[up] ?? up
    at = top[at] ?? up
  }
  return at
}
