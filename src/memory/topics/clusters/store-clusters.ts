import { type Sql, sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { batchesOf } from "../../model/store/batch.ts"
import { type Edge, selectEdges } from "../../model/store/graph.ts"
import type { KnownCluster } from "../clustering/centroids.ts"
import type { ClusterScope } from "./scope.ts"

/** A cluster as it is stored. */
export interface StoredCluster extends KnownCluster {
  project: ClusterScope
  name: string
  model: string
  /** How many members the last full run found; others may have joined since. */
  members: number
  updatedAt: number
}

/** The graph node of a cluster. */
export function clusterNode(id: string): string {
  return `cluster:${id}`
}

/** The edge from a memory to its cluster; `weight` is the strength of the membership, 0 to 1. */
export function memberEdge(memory: { id: string; createdAt: number }, cluster: string, weight: number): Edge {
  const { id, createdAt } = memory
  return { source: id, kind: "in-cluster", target: clusterNode(cluster), weight, createdAt }
}

type ClusterRow = Omit<StoredCluster, "centroid"> & { centroid: Uint8Array }

/** The clusters that match a condition, by id. */
export async function readClusters(on: Reader, where: Sql): Promise<StoredCluster[]> {
  const rows = await on.read<ClusterRow>(sql`
    select id, project, name, model, centroid, radius, members, updated_at as "updatedAt"
    from clusters where ${where} order by id`)
  return rows.map((row) => ({ ...row, centroid: decodeVector(row.centroid) }))
}

/** The condition on `clusters` for those of a scope. */
export function clustersOf(scope: ClusterScope): Sql {
  return scope === null ? sql`project is null` : sql`project = ${scope}`
}

/** The edges from memories to the clusters of a scope. Clusters are derived: these edges have no journal entries. */
export function membersOfScope(on: Reader, scope: ClusterScope): Promise<Edge[]> {
  const nodes = sql`select 'cluster:' || id from clusters where ${clustersOf(scope)}`
  return selectEdges(on, sql`kind = 'in-cluster' and target in (${nodes})`, sql`order by source, target`)
}

/** Writes clusters; the caller writes their edges. */
export async function putClusters(
  transaction: Transaction,
  clusters: readonly StoredCluster[],
): Promise<void> {
  for (const some of batchesOf(clusters)) {
    const rows = some.map(({ id, project, name, model, centroid, radius, members, updatedAt: at }) => {
      return [id, project, name, model, encodeVector(centroid), radius, members, at]
    })
    await transaction.run(sql`
      insert into clusters (id, project, name, model, centroid, radius, members, updated_at)
      values ${sqlRows(rows)}
      on conflict (id) do update set project = excluded.project, name = excluded.name, model = excluded.model,
        centroid = excluded.centroid, radius = excluded.radius, members = excluded.members,
        updated_at = excluded.updated_at`)
  }
}

/** Deletes clusters; the caller deletes their edges. */
export async function removeClusters(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await transaction.run(sql`delete from clusters where id in ${sqlList(ids)}`)
}

/** A vector as little-endian bytes. */
export function encodeVector(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(vector.length * 4)
  const view = new DataView(bytes.buffer)
  vector.forEach((value, index) => {
    view.setFloat32(index * 4, value, true)
  })
  return bytes
}

/** Reads a vector from the bytes of `encodeVector`. */
export function decodeVector(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float32Array.from({ length: bytes.byteLength / 4 }, (_, index) => view.getFloat32(index * 4, true))
}
