import { joinSql, type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { MemoryCore } from "./memory-core.ts"
import { findProjects } from "./project.ts"

/** A viewer as callers name it; `project` is a folder or a name. */
export interface ViewerQuery {
  project?: string | undefined
  session?: string | undefined
  allProjects?: boolean | undefined
}

/** Who asks, which decides the visible scopes. Without a project only global memories are visible. */
export interface Viewer extends Omit<ViewerQuery, "project"> {
  /** The ids of the viewer's project; usually one. */
  projects?: readonly string[]
  /** The audiences the viewer belongs to. Only they see memories that have an audience. */
  audiences?: readonly string[] | undefined
  /** The viewer sees all memories with this audience, and no others. */
  onlyAudience?: string | undefined
}

/** Looks up the project of a query. */
export async function viewerFor(
  { db, projects }: Pick<MemoryCore, "db" | "projects">,
  { project, session, allProjects }: ViewerQuery,
): Promise<Viewer & { projects: string[] }> {
  const ids = project ? await findProjects(db, await projects.find(project)) : []
  return { projects: ids, session, allProjects }
}

/** The condition on `memories m` for what this viewer may see. Scopes are enforced nowhere else. */
export function visibleTo(viewer: Viewer): Sql {
  if (viewer.onlyAudience !== undefined) return sql`m.audience = ${viewer.onlyAudience}`
  const scopes: Sql[] = [sql`m.scope = 'global'`]
  if (viewer.allProjects) scopes.push(sql`m.scope = 'project'`)
  else if (viewer.projects && viewer.projects.length > 0) {
    scopes.push(sql`(m.scope = 'project' and m.project in ${sqlList(viewer.projects)})`)
  }
  if (viewer.session !== undefined)
    scopes.push(sql`(m.scope = 'session' and m.session_id = ${viewer.session})`)
  const audiences = sqlList(viewer.audiences ?? [])
  return sql`((${joinSql(scopes, sql` or `)}) and (m.audience is null or m.audience in ${audiences}))`
}

/** The prefix of chat communities' audiences. Memories from communities are not the user's own. */
export const communityPrefix = "chat:"

/** The condition on `memories m` for the user's own memories, which excludes those of chat communities. */
export const isOwn: Sql = sql`(m.audience is null or m.audience not like ${`${communityPrefix}%`})`
