import { dot as dotProduct } from "../../../base/vector.ts"
import type { Clustering } from "./hdbscan.ts"

/** A stored cluster, for assigning later vectors. */
export interface KnownCluster {
  id: string
  centroid: Float32Array
  /** The maximum Euclidean distance of members from the centroid; see `radii`. */
  radius: number
}

// The share of a cluster's members within its radius: the outermost few are ignored.
const innerShare = 0.99

/** The mean of each cluster's members, scaled to unit length, by label. */
export function centroids(vectors: readonly Float32Array[], clustering: Clustering): Float32Array[] {
  const sums = Array.from({ length: clustering.count }, () => new Float64Array(vectors[0]?.length ?? 0))
  for (const [row, vector] of vectors.entries()) {
    const sum = sums[clustering.labels[row] ?? -1]
    if (sum)
      for (let index = 0; index < vector.length; index += 1)
        sum[index] = (sum[index] ?? 0) + (vector[index] ?? 0)
  }
  return sums.map(toUnit)
}

/**
 * The radius within which 99 % of a cluster's members lie, by label. Each member is measured against the centroid of the
 * others, because it pulls its own centroid closer, in a small cluster by a lot.
 */
export function radii(
  vectors: readonly Float32Array[],
  clustering: Clustering,
  middles: readonly Float32Array[],
): number[] {
  const similarities: number[][] = middles.map(() => [])
  for (const [row, vector] of vectors.entries()) {
    const label = clustering.labels[row] ?? -1
    const middle = middles[label]
    if (middle) similarities[label]?.push(dot(vector, middle))
  }
  return similarities.map(radius)
}

function radius(similarities: readonly number[]): number {
  if (similarities.length < 2) return 0
  // The members' similarities to the centroid add up to the length of their sum, which points to the centroid.
  const length = similarities.reduce((sum, similarity) => sum + similarity, 0)
  const distances = similarities.map((similarity) => distanceFrom(toOthers(similarity, length)))
  return distances.toSorted((a, b) => a - b)[Math.ceil(innerShare * distances.length) - 1] ?? 0
}

/** A member's similarity to the centroid of the others, computed from its similarity to the centroid of all. */
function toOthers(similarity: number, length: number): number {
  const others = Math.sqrt(Math.max(0, length * length - 2 * length * similarity + 1))
  return others === 0 ? similarity : (length * similarity - 1) / others
}

/** The cluster with the nearest centroid, if a unit vector lies within its radius. */
export function assign(
  vector: Float32Array,
  clusters: readonly KnownCluster[],
): { id: string; similarity: number } | undefined {
  let nearest: { cluster: KnownCluster; similarity: number } | undefined
  for (const cluster of clusters) {
    const similarity = dot(vector, cluster.centroid)
    if (nearest === undefined || similarity > nearest.similarity) nearest = { cluster, similarity }
  }
  if (nearest === undefined || distanceFrom(nearest.similarity) > nearest.cluster.radius) return undefined
  return { id: nearest.cluster.id, similarity: nearest.similarity }
}

function distanceFrom(similarity: number): number {
  return Math.sqrt(Math.max(0, 2 - 2 * similarity))
}

function dot(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new RangeError("vectors to compare must have the same length")
  return dotProduct(a, b)
}

// A sum of opposites has no direction and stays zero: nothing is near it.
function toUnit(sum: Float64Array): Float32Array {
  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0))
  return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length))
}
