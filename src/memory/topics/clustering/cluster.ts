import { type Clustering, hdbscan } from "./hdbscan.ts"
import { createPace, type PaceOptions } from "./pace.ts"
import { clusterBySample } from "./sample.ts"

/** What counts as a cluster, and how much is compared with everything. */
export interface ClusterOptions extends PaceOptions {
  /** The fewest vectors that make a cluster, at least 2. */
  minClusterSize: number
  /** How many vectors, itself included, make the surroundings of one dense; minClusterSize unless given. */
  minSamples?: number
  /** Whether everything may be one cluster; not so unless told. */
  allowSingleCluster?: boolean
  /** A larger group is taken apart, if it has parts; as many as there are unless given. */
  maxClusterSize?: number
  /** Up to so many vectors the result is exact; of more a sample is clustered and the others join it. */
  exactUpTo?: number
}

const defaultExactUpTo = 10_000

/** Finds the clusters among unit vectors; those near no cluster's core stay alone, with the label -1. */
export async function clusterVectors(
  vectors: readonly Float32Array[],
  options: ClusterOptions,
): Promise<Clustering> {
  const { minClusterSize, minSamples = minClusterSize, allowSingleCluster = false } = options
  const { exactUpTo = defaultExactUpTo, maxClusterSize = Math.max(minClusterSize, vectors.length) } = options
  const density = { minClusterSize, minSamples, allowSingleCluster, maxClusterSize }
  const pace = createPace(options)
  await pace.rest()
  return vectors.length <= exactUpTo
    ? hdbscan(vectors, density, pace)
    : clusterBySample(vectors, density, exactUpTo, pace)
}
