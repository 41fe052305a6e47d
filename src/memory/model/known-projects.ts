import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** The top folder of a project where it was first seen; empty for one without a folder, undefined for an unknown one. */
export async function projectRoot(on: Reader, project: string | null): Promise<string | undefined> {
  if (project === null) return undefined
  const [row] = await on.read<{ root: string }>(sql`select root from projects where id = ${project}`)
  return row?.root
}

/** The names of projects, by id. */
export async function projectNames(on: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await on.read<{ id: string; name: string }>(
    sql`select id, name from projects where id in ${sqlList(ids)}`,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The name of a project, or its id if it has none. */
export async function projectName(on: Reader, id: string): Promise<string> {
  return (await projectNames(on, [id])).get(id) ?? id
}

/** The projects with active memories; with a scope, with active memories of that scope. */
export async function projectsWithMemories(on: Reader, scope?: "project"): Promise<string[]> {
  const ofScope = scope === undefined ? sql`true` : sql`m.scope = ${scope}`
  const rows = await on.read<{ project: string }>(sql`
    select distinct m.project as project from memories m
    where m.status = 'active' and ${ofScope} and m.project is not null order by 1`)
  return rows.map(({ project }) => project)
}

/** The top folders of projects with a memory that changed since a time, and of those that a statement selects. */
export function foldersChangedSince(
  on: Reader,
  since: number,
  others: Sql,
): Promise<{ project: string; folder: string }[]> {
  return on.read<{ project: string; folder: string }>(sql`
    select p.id as project, p.root as folder from projects p
    where p.root <> '' and (
      exists (select 1 from memories m where m.project = p.id and m.updated_at >= ${since})
      or p.id in (${others}))`)
}

/** Projects with a folder, the most recently changed first. */
export async function recentProjects(on: Reader, limit: number): Promise<string[]> {
  const rows = await on.read<{ id: string }>(sql`
    select p.id as id from projects p left join memories m on m.project = p.id
    where p.root <> '' group by p.id order by coalesce(max(m.updated_at), 0) desc, p.id limit ${limit}`)
  return rows.map(({ id }) => id)
}
