import { eachPoint, type Linkage, partsOf, sizeOf } from "./linkage.ts"
import { type Pace, stepWork } from "./pace.ts"

/** A possible cluster, from the density at which it appears to the one at which it dissolves. */
export interface Candidate {
  /** Index of the candidate it splits off from; -1 for the root. */
  parent: number
  size: number
  /** Density (1 / distance) at which it appears. */
  birth: number
  /** Highest density at which a vector leaves it. */
  death: number
  /** Excess of mass: the sum over its members of the density at which they leave minus its birth. */
  stability: number
}

/** The linkage without splits that only lose a few vectors. Parents come before children, the root first. */
export interface CondensedTree {
  candidates: Candidate[]
  /** For each vector the candidate it leaves last, and the density at which it does. */
  leaves: Int32Array
  density: Float64Array
}

/** Follows the linkage from the root: the parts of a split into two or more large parts become candidates. */
export async function condense(linkage: Linkage, minClusterSize: number, pace: Pace): Promise<CondensedTree> {
  const { points } = linkage
  const root: Candidate = { parent: -1, size: points, birth: 0, death: 0, stability: 0 }
  const tree: CondensedTree = {
    candidates: [root],
    leaves: new Int32Array(points),
    density: new Float64Array(points),
  }
  if (points < 2) return tree
  const open: Open[] = [{ node: 2 * points - 2, candidate: 0 }]
  for (let at = 0; at < open.length; at += 1) {
    const next = open[at]
    if (next === undefined) break
    const parts = partsOf(linkage, next.node)
    for (const part of followParts({ tree, linkage, minClusterSize }, next, parts)) open.push(part)
    if (pace.spend(stepWork * parts.length)) await pace.rest()
  }
  return tree
}

/** A node still to be followed, and its candidate. */
interface Open {
  node: number
  candidate: number
}

interface Condensing {
  tree: CondensedTree
  linkage: Linkage
  minClusterSize: number
}

/** Vectors of small parts leave the candidate; one large part continues it; several become new candidates. */
function followParts(needs: Condensing, { node, candidate }: Open, parts: readonly number[]): Open[] {
  const { tree, linkage, minClusterSize } = needs
  const density = 1 / Math.sqrt(linkage.reach[node - linkage.points] ?? 0)
  const large = parts.filter((part) => sizeOf(linkage, part) >= minClusterSize)
  for (const part of parts) {
    if (sizeOf(linkage, part) < minClusterSize) dropPoints(tree, linkage, { part, candidate, density })
  }
  if (large.length === 1) return large.map((part) => ({ node: part, candidate }))
  return large.map((part) => ({
    node: part,
    candidate: splitOff(tree, candidate, sizeOf(linkage, part), density),
  }))
}

function splitOff(tree: CondensedTree, parent: number, size: number, density: number): number {
  leave(tree, parent, size, density)
  return tree.candidates.push({ parent, size, birth: density, death: 0, stability: 0 }) - 1
}

function dropPoints(
  tree: CondensedTree,
  linkage: Linkage,
  { part, candidate, density }: { part: number; candidate: number; density: number },
): void {
  leave(tree, candidate, sizeOf(linkage, part), density)
  eachPoint(linkage, part, (point) => {
    tree.leaves[point] = candidate
    tree.density[point] = density
  })
}

function leave({ candidates }: CondensedTree, from: number, size: number, density: number): void {
  const candidate = candidates[from]
  if (candidate === undefined) return
  candidate.stability += (density - candidate.birth) * size
  candidate.death = Math.max(candidate.death, density)
}
