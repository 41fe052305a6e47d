import { type Sql, sql } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"

/** The memories that are clustered together: a project's id, or null for global memories. */
export type ClusterScope = string | null

/** The name of a scope in the journal and in `cluster_runs`. */
export function scopeName(scope: ClusterScope): string {
  return scope ?? "global"
}

/**
 * The condition on `memories m` for what is clustered at all. Memories of one session or one audience are excluded,
 * because a cluster's name consists of its members' words.
 */
export const organisable: Sql = sql`(m.status = 'active' and m.audience is null and
  ((m.scope = 'global' and m.project is null) or (m.scope = 'project' and m.project is not null)))`

/** The condition on `memories m` for what is clustered in this scope. */
export function inScope(scope: ClusterScope): Sql {
  const here = scope === null ? sql`m.project is null` : sql`m.project = ${scope}`
  return sql`(${here} and ${organisable})`
}

/** The number of memories to cluster in each scope that has any. */
export async function countByScope(on: Reader): Promise<Map<ClusterScope, number>> {
  const rows = await on.read<{ project: ClusterScope; found: number }>(
    sql`select m.project as project, count(*) as found from memories m where ${organisable} group by m.project`,
  )
  return new Map(rows.map(({ project, found }) => [project, found]))
}

/** The number of memories to cluster in a scope. */
export async function countInScope(on: Reader, scope: ClusterScope): Promise<number> {
  const [row] = await on.read<{ found: number }>(
    sql`select count(*) as found from memories m where ${inScope(scope)}`,
  )
  return row?.found ?? 0
}

/** The number of memories of a scope without a vector of this model. */
export async function countWithoutVector(on: Reader, scope: ClusterScope, model: string): Promise<number> {
  const [row] = await on.read<{ found: number }>(sql`
    select count(*) as found from memories m left join vectors v on v.seq = m.seq and v.model = ${model}
    where v.seq is null and ${inScope(scope)}`)
  return row?.found ?? 0
}
