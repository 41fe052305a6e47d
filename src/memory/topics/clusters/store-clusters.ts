import { type Sql, sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import type { KnownCluster } from "../clustering/centroids.ts"
import type { ClusterScope } from "./scope.ts"

/** A cluster as it is stored. */
export interface StoredCluster extends KnownCluster {
  project: ClusterScope
  name: string
  model: string
  /** How many members the last full run found; later ones joined since. */
  members: number
  updatedAt: number
}

/** The name under which a cluster stands in the graph. */
export function clusterNode(id: string): string {
  return `cluster:${id}`
}

type ClusterRow = Omit<StoredCluster, "centroid"> & { centroid: Uint8Array }

/** Clusters that fulfil a condition, by id. */
export async function readClusters(on: Reader, where: Sql): Promise<StoredCluster[]> {
  const rows = await on.read<ClusterRow>(sql`
    select id, project, name, model, centroid, radius, members, updated_at as "updatedAt"
    from clusters where ${where} order by id`)
  return rows.map((row) => ({ ...row, centroid: numbersOf(row.centroid) }))
}

/** The condition on clusters for those of a scope. */
export function clustersOf(scope: ClusterScope): Sql {
  return scope === null ? sql`project is null` : sql`project = ${scope}`
}

const rowsAtOnce = 100

/** Writes clusters as they are. */
export async function putClusters(
  transaction: Transaction,
  clusters: readonly StoredCluster[],
): Promise<void> {
  for (let from = 0; from < clusters.length; from += rowsAtOnce) {
    const rows = clusters
      .slice(from, from + rowsAtOnce)
      .map((one) => [
        one.id,
        one.project,
        one.name,
        one.model,
        bytesOf(one.centroid),
        one.radius,
        one.members,
        one.updatedAt,
      ])
    await transaction.run(sql`
      insert into clusters (id, project, name, model, centroid, radius, members, updated_at)
      values ${sqlRows(rows)}
      on conflict (id) do update set project = excluded.project, name = excluded.name, model = excluded.model,
        centroid = excluded.centroid, radius = excluded.radius, members = excluded.members,
        updated_at = excluded.updated_at`)
  }
}

/** Removes clusters; their edges are the caller's part. */
export async function removeClusters(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await transaction.run(sql`delete from clusters where id in ${sqlList(ids)}`)
}

/** A vector's numbers as bytes, the lowest byte first. */
export function bytesOf(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(vector.length * 4)
  const view = new DataView(bytes.buffer)
  vector.forEach((value, index) => {
    view.setFloat32(index * 4, value, true)
  })
  return bytes
}

/** The numbers of bytes that `bytesOf` made. */
export function numbersOf(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float32Array.from({ length: bytes.byteLength / 4 }, (_, index) => view.getFloat32(index * 4, true))
}
