import { type Sql, sql, sqlList } from "../storage/sql.ts"
import type { Reader } from "../storage/transaction.ts"

/** The projects that an installation has had sessions in. */
export async function projectsWithSessions(on: Reader, install: string): Promise<string[]> {
  const rows = await on.read<{ project: string }>(sql`
    select distinct project from sessions where install = ${install} and project is not null`)
  return rows.map(({ project }) => project)
}

/** Selects the projects with sessions since a time. */
export function selectProjectsSince(since: number): Sql {
  return sql`select s.project from sessions s where s.project is not null and s.updated_at >= ${since}`
}

/** Selects the sessions of some projects that were updated since a time, except one. */
export function selectSessions(query: { projects: readonly string[]; since: number; except: string }): Sql {
  return sql`select s.id from sessions s where s.project in ${sqlList(query.projects)}
    and s.updated_at >= ${query.since} and s.id <> ${query.except}`
}

/** The folders of an installation's sessions since a time, with their projects. */
export function foldersSince(
  on: Reader,
  install: string,
  since: number,
): Promise<{ project: string; folder: string }[]> {
  return on.read<{ project: string; folder: string }>(sql`
    select distinct project, folder from sessions
    where install = ${install} and project is not null and folder is not null and updated_at >= ${since}`)
}

/** The folders of a project's sessions, the last used first. */
export async function foldersOf(
  on: Reader,
  install: string,
  project: string,
  limit: number,
): Promise<string[]> {
  const rows = await on.read<{ folder: string }>(sql`
    select folder from sessions where install = ${install} and project = ${project} and folder is not null
    group by folder order by max(updated_at) desc limit ${limit}`)
  return rows.map(({ folder }) => folder)
}
