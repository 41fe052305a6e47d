import { centroids, radii } from "./centroids.ts"
import { openDistances } from "./distances.ts"
import { type Clustering, type Density, hdbscan } from "./hdbscan.ts"
import type { Pace } from "./pace.ts"

// The minimum sizes for a sample: smaller groups are random.
const leastSize = 4
const batchSize = 1024

/**
 * Clusters a deterministic sample of the vectors, and adds the others to the cluster with the nearest centroid if they
 * lie within its radius. Clusters that are too small for the sample are not found.
 */
export async function clusterBySample(
  vectors: readonly Float32Array[],
  density: Density,
  sampleSize: number,
  pace: Pace,
): Promise<Clustering> {
  const chosen = sampleRows(vectors.length, sampleSize)
  const sample = at(vectors, chosen)
  const found = await hdbscan(sample, scaled(density, sampleSize / vectors.length), pace)
  const whole: Clustering = {
    labels: new Int32Array(vectors.length).fill(-1),
    probabilities: new Float64Array(vectors.length),
    count: found.count,
  }
  for (const [index, row] of chosen.entries()) {
    whole.labels[row] = found.labels[index] ?? -1
    whole.probabilities[row] = found.probabilities[index] ?? 0
  }
  if (found.count === 0) return whole
  const middles = centroids(sample, found)
  const reach = radii(sample, found, middles)
  const isChosen = new Uint8Array(vectors.length)
  for (const row of chosen) isChosen[row] = 1
  const others = Int32Array.from(vectors.keys()).filter((row) => isChosen[row] === 0)
  for (let first = 0; first < others.length; first += batchSize) {
    const batch = others.subarray(first, first + batchSize)
    await joinBatch(whole, middles, reach, batch, at(vectors, batch), pace)
  }
  return whole
}

/** Adds the vectors of these rows to the nearest cluster, if they lie within its reach. */
async function joinBatch(
  whole: Clustering,
  middles: readonly Float32Array[],
  reach: readonly number[],
  rows: Int32Array,
  vectors: readonly Float32Array[],
  pace: Pace,
): Promise<void> {
  const distances = await openDistances([...middles, ...vectors], pace)
  for (const label of middles.keys()) distances.others[label] = label
  for (const [index, row] of rows.entries()) {
    const { label, distance } = nearest(
      distances.from(middles.length + index, middles.length),
      middles.length,
    )
    const radius = reach[label] ?? 0
    if (distance <= radius) {
      whole.labels[row] = label
      // From 1 in the middle to 0 at the edge.
      whole.probabilities[row] = radius === 0 ? 1 : 1 - (distance / radius) ** 2
    }
    if (pace.spend(middles.length * distances.width)) await pace.rest()
  }
}

function nearest(squared: Float64Array, length: number): { label: number; distance: number } {
  let label = 0
  for (let index = 1; index < length; index += 1) {
    if ((squared[index] ?? 0) < (squared[label] ?? 0)) label = index
  }
  return { label, distance: Math.sqrt(squared[label] ?? 0) }
}

function scaled(density: Density, share: number): Density {
  const scale = (size: number) => Math.max(Math.min(size, leastSize), Math.round(size * share))
  return {
    ...density,
    minClusterSize: scale(density.minClusterSize),
    minSamples: scale(density.minSamples),
    maxClusterSize: scale(density.maxClusterSize),
  }
}

/** A deterministic sample of row numbers. */
function sampleRows(count: number, wanted: number): Int32Array {
  const scattered = Int32Array.from({ length: count }, (_, row) => scatter(row))
  const limit = scattered.toSorted()[wanted] ?? Number.POSITIVE_INFINITY
  return Int32Array.from(scattered.keys()).filter((row) => (scattered[row] ?? 0) < limit)
}

// A bijective mix of the bits (murmur3's finalizer), so that exactly the wanted number of rows is below the limit.
function scatter(row: number): number {
  let mixed = Math.imul(row ^ (row >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function at(vectors: readonly Float32Array[], rows: Int32Array): Float32Array[] {
  return Array.from(rows, (row) => vectors[row] ?? new Float32Array(0))
}
