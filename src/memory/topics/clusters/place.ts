import { type Sql, sql } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"

/** Where memories are organised among themselves: a project's id, or null for those that hold everywhere. */
export type Place = string | null

/** The name of a place in the journal and in the table of runs. */
export function placeName(place: Place): string {
  return place ?? "global"
}

/**
 * The condition on `memories m` for what is organised at all. What only one session or one audience may see stays
 * out: a cluster's name is made of its members' words.
 */
export const organisable: Sql = sql`(m.status = 'active' and m.audience is null and
  ((m.scope = 'global' and m.project is null) or (m.scope = 'project' and m.project is not null)))`

/** The condition on `memories m` for what is organised in this place. */
export function inPlace(place: Place): Sql {
  const here = place === null ? sql`m.project is null` : sql`m.project = ${place}`
  return sql`(${here} and ${organisable})`
}

/** The places that have something to organise, and how many memories each. */
export async function countPlaces(on: Reader): Promise<Map<Place, number>> {
  const rows = await on.read<{ project: Place; found: number }>(
    sql`select m.project as project, count(*) as found from memories m where ${organisable} group by m.project`,
  )
  return new Map(rows.map(({ project, found }) => [project, found]))
}

/** How many memories are organised in a place. */
export async function countPlace(on: Reader, place: Place): Promise<number> {
  const [row] = await on.read<{ found: number }>(
    sql`select count(*) as found from memories m where ${inPlace(place)}`,
  )
  return row?.found ?? 0
}

/** How many memories of a place have no vector of this model yet. */
export async function countWithoutVector(on: Reader, place: Place, model: string): Promise<number> {
  const [row] = await on.read<{ found: number }>(sql`
    select count(*) as found from memories m left join vectors v on v.seq = m.seq and v.model = ${model}
    where v.seq is null and ${inPlace(place)}`)
  return row?.found ?? 0
}
