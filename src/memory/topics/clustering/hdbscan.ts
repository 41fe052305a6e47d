import { condense } from "./condense.ts"
import { coreDistances } from "./core-distances.ts"
import { openDistances } from "./distances.ts"
import { linkEdges } from "./linkage.ts"
import type { Pace } from "./pace.ts"
import { labelPoints, outermost, selectClusters } from "./select.ts"
import { spanTree } from "./spanning-tree.ts"

/** The cluster of every vector, and the probability of its membership. */
export interface Clustering {
  /** From 0; -1 for vectors in no cluster. */
  labels: Int32Array
  /** From 0 to 1; 0 for vectors in no cluster. */
  probabilities: Float64Array
  count: number
}

/** The parameters of HDBSCAN. */
export interface Density {
  /** The minimum number of vectors in a cluster, at least 2. */
  minClusterSize: number
  /** The number of vectors, itself included, within a vector's core distance. */
  minSamples: number
  /** Whether all vectors may form one cluster. */
  allowSingleCluster: boolean
  /** A larger group is divided into its parts, if it has any. */
  maxClusterSize: number
}

/**
 * Exact HDBSCAN by Euclidean distance, with the results of scikit-learn (for ties see SpanningTree). The order of the
 * vectors changes at most the labels' numbers. Time is quadratic in the number of vectors, memory linear.
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
