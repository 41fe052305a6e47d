import type { By } from "../../../storage/journal.ts"
import { type Inferred, inferTags } from "../tags/infer.ts"
import { type ClusterCounts, type RefreshNeeds, refreshClusters } from "./refresh.ts"
import type { ClusterScope } from "./scope.ts"

/** How organising a scope went. */
export type OrganisedScope =
  | ({ outcome: "refreshed"; project: ClusterScope; tags: Inferred } & ClusterCounts)
  | { outcome: "overtaken"; project: ClusterScope }

/** Finds the clusters of a scope anew, then the tags that follow from them and from the memories themselves. */
export async function organiseScope(
  needs: RefreshNeeds,
  scope: ClusterScope,
  by: By,
): Promise<OrganisedScope> {
  const { counts, memories } = await refreshClusters(needs, scope, by)
  if (counts === "overtaken") return { outcome: "overtaken", project: scope }
  const tags = await inferTags(needs, scope, memories, by)
  return { outcome: "refreshed", project: scope, ...counts, tags }
}
