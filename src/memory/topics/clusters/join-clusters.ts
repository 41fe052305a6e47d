import { sql, sqlList } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { type Edge, putEdges } from "../../model/store/graph.ts"
import { assign, type KnownCluster } from "../clustering/centroids.ts"
import { allRuns, type Run } from "./run.ts"
import { type ClusterScope, organisable, scopeName } from "./scope.ts"
import { clustersOf, memberEdge, readClusters } from "./store-clusters.ts"

/** Caches the clusters of each scope until its next run. */
export interface ClusterCache {
  find(on: Reader, scope: ClusterScope, run: Run): Promise<readonly KnownCluster[]>
}

export function createClusterCache(): ClusterCache {
  const scopes = new Map<string, { run: number; clusters: readonly KnownCluster[] }>()
  return {
    async find(on, scope, { run, model }) {
      const cached = scopes.get(scopeName(scope))
      if (cached?.run === run) return cached.clusters
      const clusters = await readClusters(on, sql`model = ${model} and ${clustersOf(scope)}`)
      scopes.set(scopeName(scope), { run, clusters })
      return clusters
    },
  }
}

/** Adds memories that just got their vectors to the nearest cluster of their scope, if it is near enough. */
export async function assignToClusters(
  cache: ClusterCache,
  transaction: Transaction,
  model: string,
  embedded: readonly { id: string; vector: Float32Array }[],
): Promise<void> {
  const runs = new Map((await allRuns(transaction)).map((run) => [run.scope, run]))
  if (runs.size === 0 || embedded.length === 0) return
  const rows = await transaction.read<{ id: string; project: ClusterScope; createdAt: number }>(sql`
    select m.id as id, m.project as project, m.created_at as "createdAt" from memories m
    where m.id in ${sqlList(embedded.map(({ id }) => id))} and ${organisable}
      and not exists (select 1 from edges e where e.source = m.id and e.kind = 'in-cluster')`)
  const vectors = new Map(embedded.map(({ id, vector }) => [id, vector]))
  const members: Edge[] = []
  for (const { id, project, createdAt } of rows) {
    const run = runs.get(scopeName(project))
    const vector = vectors.get(id)
    if (vector === undefined || run === undefined || run.model !== model) continue
    const near = assign(vector, await cache.find(transaction, project, run))
    if (near === undefined) continue
    const weight = Math.round(Math.min(1, Math.max(0, near.similarity)) * 1000) / 1000
    members.push(memberEdge({ id, createdAt }, near.id, weight))
  }
  await putEdges(transaction, members)
}
