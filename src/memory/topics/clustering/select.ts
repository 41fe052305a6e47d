import type { Candidate, CondensedTree } from "./condense.ts"

// Tolerance for rounding: sums of the same numbers in another order differ in the last digits.
const equalUpTo = 1 + 1e-9

/** Whether each candidate is a cluster: its excess of mass is at least that of its parts together. */
export function selectClusters(
  candidates: readonly Candidate[],
  { allowSingleCluster, maxClusterSize }: { allowSingleCluster: boolean; maxClusterSize: number },
): boolean[] {
  const selected = candidates.map(() => false)
  const inParts = new Float64Array(candidates.length)
  for (let index = candidates.length - 1; index >= 0; index -= 1) {
    const candidate = candidates[index]
    if (candidate === undefined) continue
    const parts = inParts[index] ?? 0
    // A group that is too large but has no parts stays one cluster.
    const isAllowed =
      (candidate.size <= maxClusterSize || parts === 0) && (candidate.parent >= 0 || allowSingleCluster)
    const isBetterWhole = isAllowed && parts <= candidate.stability * equalUpTo
    selected[index] = isBetterWhole
    if (candidate.parent >= 0) {
      inParts[candidate.parent] =
        (inParts[candidate.parent] ?? 0) + (isBetterWhole ? candidate.stability : parts)
    }
  }
  return selected
}

/** The outermost cluster that contains each candidate, or is the candidate itself; -1 for none. */
export function outermost(candidates: readonly Candidate[], selected: readonly boolean[]): Int32Array {
  const owners = new Int32Array(candidates.length).fill(-1)
  for (const [index, { parent }] of candidates.entries()) {
    const above = parent >= 0 ? (owners[parent] ?? -1) : -1
    owners[index] = above >= 0 ? above : selected[index] === true ? index : -1
  }
  return owners
}

/** Labels from 0, in the order of the candidates, and membership probabilities from 0 to 1. */
export function labelPoints(
  { candidates, leaves, density }: CondensedTree,
  owners: Int32Array,
): { labels: Int32Array; probabilities: Float64Array; count: number } {
  const labelOf = numbered(owners)
  const labels = new Int32Array(leaves.length).fill(-1)
  const probabilities = new Float64Array(leaves.length)
  for (const [point, leaf] of leaves.entries()) {
    const owner = owners[leaf] ?? -1
    const cluster = candidates[owner]
    const own = density[point] ?? 0
    // If everything is one cluster, only its core counts: the vectors at its highest density.
    if (cluster === undefined || (owner === 0 && own < cluster.death)) continue
    labels[point] = labelOf.get(owner) ?? -1
    probabilities[point] = probability(own, cluster.death)
  }
  return { labels, probabilities, count: labelOf.size }
}

function probability(density: number, death: number): number {
  if (death === 0 || density === Number.POSITIVE_INFINITY) return 1
  return Math.min(density, death) / death
}

function numbered(owners: Int32Array): Map<number, number> {
  const clusters = [...new Set(owners)].filter((owner) => owner >= 0).toSorted((a, b) => a - b)
  return new Map(clusters.map((cluster, label) => [cluster, label]))
}
