import type { Clock } from "../../../base/clock.ts"
import type { Random } from "../../../base/random.ts"
import type { Database } from "../../../storage/database.ts"
import type { By } from "../../../storage/journal.ts"
import { type Inferred, inferTags } from "../tags/infer.ts"
import type { Place } from "./place.ts"
import { type ClusterCounts, refreshClusters } from "./refresh.ts"

interface OrganiseNeeds {
  db: Database
  clock: Clock
  random: Random
  model: string
  signal?: AbortSignal | undefined
}

/** How organising a place went. */
export type OrganisedPlace =
  | ({ outcome: "refreshed"; project: Place; tags: Inferred } & ClusterCounts)
  | { outcome: "overtaken"; project: Place }

/** Finds the clusters of a place anew, then the tags that follow from them and from the memories themselves. */
export async function organisePlace(needs: OrganiseNeeds, place: Place, by: By): Promise<OrganisedPlace> {
  const { counts, memories } = await refreshClusters(needs, place, by)
  if (counts === "overtaken") return { outcome: "overtaken", project: place }
  const tags = await inferTags(needs, place, memories, by)
  return { outcome: "refreshed", project: place, ...counts, tags }
}
