import { joinSql, type Sql, sql, sqlList } from "../../storage/sql.ts"

/** Who asks: decides which scopes can be seen. Without a project only global memories are. */
export interface Viewer {
  /** The ids of the project they are in; usually one. */
  projects?: readonly string[]
  session?: string | undefined
  allProjects?: boolean | undefined
  /** The audiences they belong to. What has an audience is seen by nobody else. */
  audiences?: readonly string[] | undefined
  /** They see what has this audience, of any scope, and nothing else at all. */
  onlyAudience?: string | undefined
}

/** The condition on `memories m` for what this viewer may see; scopes are enforced nowhere else. */
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

/** How the audiences of communities begin: what strangers said there is nobody's own note, and is not tended. */
export const communityPrefix = "chat:"

/** The condition on `memories m` for what is the user's own, and not what a community said. */
export const isOwn: Sql = sql`(m.audience is null or m.audience not like ${`${communityPrefix}%`})`
