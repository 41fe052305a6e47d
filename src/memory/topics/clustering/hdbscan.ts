import { condense } from "./condense.ts"
import { coreDistances } from "./core-distances.ts"
import { openDistances } from "./distances.ts"
import { linkEdges } from "./linkage.ts"
import type { Pace } from "./pace.ts"
import { labelPoints, outermost, selectClusters } from "./select.ts"
import { spanTree } from "./spanning-tree.ts"

/** A cluster for every vector, and how firmly it belongs there. */
export interface Clustering {
  /** From 0; -1 for vectors that belong nowhere. */
  labels: Int32Array
  /** From 0 to 1; 0 for vectors that belong nowhere. */
  probabilities: Float64Array
  count: number
}

/** What counts as a cluster. */
export interface Density {
  /** The fewest vectors that make a cluster, at least 2. */
  minClusterSize: number
  /** How many vectors, itself included, make the surroundings of one dense. */
  minSamples: number
  /** Whether everything may be one cluster. */
  allowSingleCluster: boolean
  /** Of a larger group the parts are the clusters, if it has any. */
  maxClusterSize: number
}

/**
 * HDBSCAN by Euclidean distance, exact, with the results of scikit-learn (for ties see SpanningTree). The
 * order of the vectors changes at most the numbers of the clusters. Time grows with the square of the number
 * of vectors, memory with the number.
 */
export async function hdbscan(
  vectors: readonly Float32Array[],
  { minClusterSize, minSamples, ...allowed }: Density,
  pace: Pace,
): Promise<Clustering> {
  if (vectors.length < minClusterSize) return allNoise(vectors.length)
  const distances = await openDistances(vectors, pace)
  const cores = await coreDistances(distances, Math.min(minSamples, vectors.length) - 1, pace)
  const spanning = await spanTree(distances, cores, pace)
  await pace.rest()
  const linkage = await linkEdges(spanning, pace)
  const condensed = await condense(linkage, minClusterSize, pace)
  const selected = selectClusters(condensed.candidates, allowed)
  return labelPoints(condensed, outermost(condensed.candidates, selected))
}

function allNoise(count: number): Clustering {
  return { labels: new Int32Array(count).fill(-1), probabilities: new Float64Array(count), count: 0 }
}
