import type { By } from "../../../storage/journal.ts"
import { type Inferred, inferTags } from "../tags/infer.ts"
import { type ClusterCore, type ClusterCounts, refreshClusters } from "./refresh.ts"
import type { ClusterScope } from "./scope.ts"

/** The result of clustering and tagging a scope. */
export type OrganisedScope =
  | ({ outcome: "refreshed"; project: ClusterScope; tags: Inferred } & ClusterCounts)
  | { outcome: "overtaken"; project: ClusterScope }

/** Clusters a scope, then infers tags from the clusters and from the memories. */
export async function organiseScope(core: ClusterCore, scope: ClusterScope, by: By): Promise<OrganisedScope> {
  const { counts, memories } = await refreshClusters(core, scope, by)
  if (counts === "overtaken") return { outcome: "overtaken", project: scope }
  const tags = await inferTags(core, scope, memories, by)
  return { outcome: "refreshed", project: scope, ...counts, tags }
}
