import { sql, sqlList } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { assign, type KnownCluster } from "../clustering/centroids.ts"
import { addMembers, type Membership } from "./members.ts"
import { allRuns, type Run } from "./run.ts"
import { type ClusterScope, organisable, scopeName } from "./scope.ts"
import { clusterNode, clustersOf, readClusters } from "./store-clusters.ts"

/** The clusters' middles, kept until a new run finds others. */
export interface ClusterCache {
  find(on: Reader, scope: ClusterScope, run: Run): Promise<readonly KnownCluster[]>
}

/** Makes an empty cache. */
export function createClusterCache(): ClusterCache {
  const scopes = new Map<string, { run: number; clusters: readonly KnownCluster[] }>()
  return {
    async find(on, scope, { run, model }) {
      const kept = scopes.get(scopeName(scope))
      if (kept?.run === run) return kept.clusters
      const clusters = await readClusters(on, sql`model = ${model} and ${clustersOf(scope)}`)
      scopes.set(scopeName(scope), { run, clusters })
      return clusters
    },
  }
}

interface NewcomerRow {
  id: string
  project: ClusterScope
  createdAt: number
}

/**
 * Puts memories that just got their vectors into the nearest cluster of their scope, if they lie within it. Those that
 * are in one already stay there.
 */
export async function joinClusters(
  cache: ClusterCache,
  transaction: Transaction,
  model: string,
  newcomers: readonly { id: string; vector: Float32Array }[],
): Promise<void> {
  const runs = new Map((await allRuns(transaction)).map((run) => [run.scope, run]))
  if (runs.size === 0 || newcomers.length === 0) return
  const rows = await transaction.read<NewcomerRow>(sql`
    select m.id as id, m.project as project, m.created_at as "createdAt" from memories m
    where m.id in ${sqlList(newcomers.map(({ id }) => id))} and ${organisable}
      and not exists (select 1 from edges e where e.source = m.id and e.kind = 'in-cluster')`)
  const vectors = new Map(newcomers.map(({ id, vector }) => [id, vector]))
  const members: Membership[] = []
  for (const { id, project, createdAt } of rows) {
    const run = runs.get(scopeName(project))
    const vector = vectors.get(id)
    if (vector === undefined || run === undefined || run.model !== model) continue
    const near = assign(vector, await cache.find(transaction, project, run))
    if (near === undefined) continue
    const weight = Math.round(Math.min(1, Math.max(0, near.similarity)) * 1000) / 1000
    members.push({ memory: id, node: clusterNode(near.id), weight, createdAt })
  }
  await addMembers(transaction, members)
}
