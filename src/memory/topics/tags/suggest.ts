import { yieldToEventLoop } from "../../../base/clock.ts"
import type { ScopeMemory } from "../clusters/load.ts"
import { tagsFromFiles } from "./from-files.ts"
import { createTagFinder } from "./from-text.ts"

/** What tags are inferred from: a scope's memories and clusters, and the project's folder. */
export interface Evidence {
  memories: readonly ScopeMemory[]
  /** The ids of each cluster's members. */
  clusters: readonly (readonly string[])[]
  root: string | null
}

/** Number of memories between pauses for other work. */
const pauseEvery = 200
/** The maximum number of inferred tags per memory, and the minimum number of memories with a tag. */
const maxTags = 5
const minUses = 2
/** In scopes of at least `smallScope` memories, a tag on more than this share of them is too common. */
const maxShare = 1 / 3
const smallScope = 20
/** The minimum share, and the minimum number, of a cluster's members with an explicit tag. */
const clusterShare = 0.6
const minClusterUses = 3

/** The tags to infer for each memory, by id, without its explicit tags. */
export async function suggestTags(evidence: Evidence): Promise<Map<string, string[]>> {
  const { memories } = evidence
  const fromClusters = sharedInClusters(evidence)
  const finder = createTagFinder(new Set(memories.flatMap(({ tags }) => tags)))
  const suggested: { memory: ScopeMemory; tags: string[] }[] = []
  for (const memory of memories) {
    const fromFiles = tagsFromFiles(memory.files, evidence.root)
    const all = [...(fromClusters.get(memory.id) ?? []), ...finder(memory.content), ...fromFiles]
    suggested.push({ memory, tags: [...new Set(all)].filter((tag) => !memory.tags.includes(tag)) })
    if (suggested.length % pauseEvery === 0) await yieldToEventLoop()
  }
  const uses = countUses(suggested)
  const most = memories.length < smallScope ? memories.length : memories.length * maxShare
  const isUseful = (tag: string) => {
    const count = uses.get(tag) ?? 0
    return count >= minUses && count <= most
  }
  return new Map(
    suggested.flatMap(({ memory, tags }) => {
      const useful = tags.filter(isUseful).slice(0, maxTags)
      return useful.length === 0 ? [] : [[memory.id, useful.sort()] as const]
    }),
  )
}

function countUses(
  suggested: readonly { memory: ScopeMemory; tags: readonly string[] }[],
): Map<string, number> {
  const uses = new Map<string, number>()
  for (const { memory, tags } of suggested) {
    for (const tag of [...memory.tags, ...tags]) uses.set(tag, (uses.get(tag) ?? 0) + 1)
  }
  return uses
}

/** The explicit tags that most members of a cluster have, for each of its members. */
function sharedInClusters({ memories, clusters }: Evidence): Map<string, string[]> {
  const explicit = new Map(memories.map(({ id, tags }) => [id, tags]))
  const shared = new Map<string, string[]>()
  for (const members of clusters) {
    const counts = new Map<string, number>()
    for (const tag of members.flatMap((id) => explicit.get(id) ?? [])) {
      counts.set(tag, (counts.get(tag) ?? 0) + 1)
    }
    const tags = [...counts]
      .filter(([, count]) => count >= minClusterUses && count >= members.length * clusterShare)
      .map(([tag]) => tag)
      .sort()
    if (tags.length > 0) for (const id of members) shared.set(id, tags)
  }
  return shared
}
