import { newId, type Random } from "../../../base/random.ts"
import { centroids, radii } from "../clustering/centroids.ts"
import { clusterVectors } from "../clustering/cluster.ts"
import type { Clustering } from "../clustering/hdbscan.ts"
import { matchClusters, type OldCluster } from "../clustering/match.ts"
import { nameClusters } from "../clustering/name.ts"
import type { ScopeMemory } from "./load.ts"

/** A cluster with its memories; `weight` is the strength of the membership, 0 to 1. */
export interface FoundCluster {
  id: string
  name: string
  centroid: Float32Array
  radius: number
  members: { memory: ScopeMemory; weight: number }[]
}

/** The minimum number of memories in a cluster, and of neighbours in its core. */
const minClusterSize = 5
const minSamples = 2
/** All sentences are somewhat similar: without a limit nearly everything would be one cluster. */
const maxClusterSize = 100
/** A memory with a lower membership probability belongs to no cluster. */
const minMembership = 0.15

const density = { minClusterSize, minSamples, maxClusterSize }

/** Finds the clusters among memories. A cluster that continues an earlier one keeps its id. */
export async function findClusters(
  { random, signal }: { random: Random; signal?: AbortSignal | undefined },
  memories: readonly ScopeMemory[],
  before: readonly OldCluster[],
): Promise<FoundCluster[]> {
  const known = memories.flatMap((memory) => (memory.vector ? [{ memory, vector: memory.vector }] : []))
  if (known.length < 2 * minClusterSize) return []
  const vectors = known.map(({ vector }) => vector)
  const pace = signal ? { signal } : {}
  const clustering = withoutOutliers(await clusterVectors(vectors, { ...density, ...pace }))
  const middles = centroids(vectors, clustering)
  const reach = radii(vectors, clustering, middles)
  const groups: FoundCluster["members"][] = middles.map(() => [])
  const alone: ScopeMemory[] = []
  for (const [index, { memory }] of known.entries()) {
    const group = groups[clustering.labels[index] ?? -1]
    if (group) group.push({ memory, weight: rounded(clustering.probabilities[index] ?? 0) })
    else alone.push(memory)
  }
  const ids = matchClusters(
    before,
    groups.map((members) => members.map(({ memory }) => memory.id)),
  )
  const texts = groups.map((members) => members.map(({ memory }) => memory.content))
  const names = await nameClusters(
    texts,
    alone.map(({ content }) => content),
    pace,
  )
  return groups.map((members, label) => ({
    id: ids[label] ?? newId(random, "c"),
    name: names[label] ?? "unnamed",
    centroid: middles[label] ?? new Float32Array(),
    radius: reach[label] ?? 0,
    members,
  }))
}

/** Removes outliers: a vector far outside is nearest to some cluster too, and would enlarge its radius. */
function withoutOutliers({ labels, probabilities, count }: Clustering): Clustering {
  const isFirm = (row: number) => (probabilities[row] ?? 0) >= minMembership
  return { labels: labels.map((label, row) => (isFirm(row) ? label : -1)), probabilities, count }
}

function rounded(share: number): number {
  return Math.round(share * 1000) / 1000
}
