import { nextTurn } from "../../../base/clock.ts"
import type { Organised } from "../clusters/load.ts"
import { tagsFromFiles } from "./from-files.ts"
import { createTagFinder } from "./from-text.ts"

/** What tags are inferred from: the memories of a scope, which of them form clusters, and where its files are. */
export interface Evidence {
  memories: readonly Organised[]
  /** The ids of each cluster's members. */
  clusters: readonly (readonly string[])[]
  root: string | null
}

/** After so many memories everything else gets its turn. */
const atOnce = 200
/** How many tags a memory gets at most, and how many memories must have a tag for it to say something. */
const mostTags = 5
const fewestUses = 2
/** A tag on more than this share of a scope says nothing there; small scopes are not counted so. */
const commonShare = 1 / 3
const smallScope = 20
/** The share of a cluster that must have been told a tag, and the fewest members. */
const clusterShare = 0.6
const clusterLeast = 3

/** The tags that memories should have although nobody said so, by id; never one that they were told. */
export async function suggestTags(evidence: Evidence): Promise<Map<string, string[]>> {
  const { memories } = evidence
  const fromClusters = sharedInClusters(evidence)
  const finder = createTagFinder(new Set(memories.flatMap(({ tags }) => tags)))
  const suggested: { memory: Organised; tags: string[] }[] = []
  for (const memory of memories) {
    const fromFiles = tagsFromFiles(memory.files, evidence.root)
    const all = [...(fromClusters.get(memory.id) ?? []), ...finder(memory.content), ...fromFiles]
    const told = new Set(memory.tags)
    suggested.push({ memory, tags: [...new Set(all)].filter((tag) => !told.has(tag)) })
    if (suggested.length % atOnce === 0) await nextTurn()
  }
  const uses = countUses(suggested)
  const most = memories.length < smallScope ? memories.length : memories.length * commonShare
  const isTelling = (tag: string) => {
    const count = uses.get(tag) ?? 0
    return count >= fewestUses && count <= most
  }
  return new Map(
    suggested.flatMap(({ memory, tags }) => {
      const telling = tags.filter(isTelling).slice(0, mostTags)
      return telling.length === 0 ? [] : [[memory.id, telling.sort()] as const]
    }),
  )
}

function countUses(
  suggested: readonly { memory: Organised; tags: readonly string[] }[],
): Map<string, number> {
  const uses = new Map<string, number>()
  for (const { memory, tags } of suggested) {
    for (const tag of [...memory.tags, ...tags]) uses.set(tag, (uses.get(tag) ?? 0) + 1)
  }
  return uses
}

/** For the members of clusters that mostly share a tag that was told, those tags. */
function sharedInClusters({ memories, clusters }: Evidence): Map<string, string[]> {
  const told = new Map(memories.map(({ id, tags }) => [id, tags]))
  const shared = new Map<string, string[]>()
  for (const members of clusters) {
    const counts = new Map<string, number>()
    for (const tag of members.flatMap((id) => told.get(id) ?? [])) {
      counts.set(tag, (counts.get(tag) ?? 0) + 1)
    }
    const tags = [...counts]
      .filter(([, count]) => count >= clusterLeast && count >= members.length * clusterShare)
      .map(([tag]) => tag)
      .sort()
    if (tags.length > 0) for (const id of members) shared.set(id, tags)
  }
  return shared
}
