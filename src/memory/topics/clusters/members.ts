import { sql, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { batchesOf } from "../../model/store/batch.ts"
import type { ClusterScope } from "./scope.ts"
import { clustersOf } from "./store-clusters.ts"

/** A memory in a cluster. */
export interface Membership {
  memory: string
  /** The cluster's name in the graph. */
  node: string
  /** How firmly it belongs there, 0 to 1. */
  weight: number
  createdAt: number
}

/** Who belongs to the clusters of a scope. */
export function membershipsOf(on: Reader, scope: ClusterScope): Promise<Membership[]> {
  return on.read<Membership>(sql`
    select source as memory, target as node, weight, created_at as "createdAt" from edges
    where kind = 'in-cluster' and target in (select 'cluster:' || id from clusters where ${clustersOf(scope)})
    order by source, target`)
}

/** Adds members. Clusters are derived: no journal entry tells of a single member. */
export async function addMembers(transaction: Transaction, members: readonly Membership[]): Promise<void> {
  for (const some of batchesOf(members)) {
    const rows = some.map(({ memory, node, weight, createdAt }) => [
      memory,
      "in-cluster",
      node,
      weight,
      createdAt,
    ])
    await transaction.run(sql`
      insert into edges (source, kind, target, weight, created_at) values ${sqlRows(rows)}
      on conflict (source, kind, target) do update set weight = excluded.weight`)
  }
}

/** Takes members out. */
export async function removeMembers(
  transaction: Transaction,
  members: readonly Pick<Membership, "memory" | "node">[],
): Promise<void> {
  for (const some of batchesOf(members)) {
    const pairs = some.map(({ memory, node }) => [memory, node])
    await transaction.run(sql`
      delete from edges where kind = 'in-cluster' and (source, target) in (values ${sqlRows(pairs)})`)
  }
}
