import { type Clustering, type Density, hdbscan } from "./hdbscan.ts"
import { createPace, type PaceOptions } from "./pace.ts"
import { clusterBySample } from "./sample.ts"

/** The parameters of clustering; by default `minSamples` is `minClusterSize`, and clusters have no maximum size. */
export interface ClusterOptions extends PaceOptions, Partial<Omit<Density, "minClusterSize">> {
  minClusterSize: number
  /** Up to this many vectors the result is exact; of more a sample is clustered, and the others join its clusters. */
  exactUpTo?: number
}

const defaultExactUpTo = 10_000

/** Finds the clusters among unit vectors; vectors in no cluster have the label -1. */
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
