import { newId, type Random } from "../../../base/random.ts"
import { centroids, radii } from "../clustering/centroids.ts"
import { clusterVectors } from "../clustering/cluster.ts"
import type { Clustering } from "../clustering/hdbscan.ts"
import { matchClusters, type OldCluster } from "../clustering/match.ts"
import { nameClusters } from "../clustering/name.ts"
import type { Organised } from "./load.ts"

/** A cluster that was found, with how firmly each of its memories belongs to it. */
export interface FoundCluster {
  id: string
  name: string
  centroid: Float32Array
  radius: number
  members: { memory: Organised; weight: number }[]
}

/** The fewest memories that make a cluster, and how many near each other make its core. */
const minClusterSize = 5
const minSamples = 2
/** Sentences all lie a little alike: without a limit nearly everything is one cluster. */
const maxClusterSize = 100
/** Who belongs to a cluster less firmly than this belongs to none. */
const leastFirm = 0.15

const density = { minClusterSize, minSamples, maxClusterSize }

/** Finds the clusters among memories, and gives those that go on from earlier ones their ids. */
export async function findClusters(
  { random, signal }: { random: Random; signal?: AbortSignal | undefined },
  memories: readonly Organised[],
  before: readonly OldCluster[],
): Promise<FoundCluster[]> {
  const known = memories.flatMap((memory) => (memory.vector ? [{ memory, vector: memory.vector }] : []))
  if (known.length < 2 * minClusterSize) return []
  const vectors = known.map(({ vector }) => vector)
  const pace = signal ? { signal } : {}
  const clustering = onlyFirm(await clusterVectors(vectors, { ...density, ...pace }))
  const middles = centroids(vectors, clustering)
  const reach = radii(vectors, clustering, middles)
  const groups: FoundCluster["members"][] = middles.map(() => [])
  const alone: Organised[] = []
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

/** Without the stragglers: a vector far outside is nearest to some cluster too, and would stretch it. */
function onlyFirm({ labels, probabilities, count }: Clustering): Clustering {
  const isFirm = (row: number) => (probabilities[row] ?? 0) >= leastFirm
  return { labels: labels.map((label, row) => (isFirm(row) ? label : -1)), probabilities, count }
}

function rounded(share: number): number {
  return Math.round(share * 1000) / 1000
}
