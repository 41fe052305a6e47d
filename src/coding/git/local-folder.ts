import { findProjects, type ProjectFinder } from "../../memory/model/project.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** Folders of sessions that are tried where a project is not where it was first seen. */
const mostTried = 5

/** Where a project is on this machine: its top folder, or undefined if it is not here or another one stands there now. */
export async function localFolder(
  { db, projects, install }: { db: Reader; projects: ProjectFinder; install: string },
  project: string,
): Promise<string | undefined> {
  const roots = await db.read<{ root: string }>(sql`select root from projects where id = ${project}`)
  const sessions = await db.read<{ folder: string }>(sql`
    select folder from sessions where install = ${install} and project = ${project} and folder is not null
    group by folder order by max(updated_at) desc limit ${mostTried}`)
  const folders = [...roots.map(({ root }) => root), ...sessions.map(({ folder }) => folder)]
  for (const folder of new Set(folders.filter((one) => one !== ""))) {
    const identity = await projects.find(folder)
    if (identity.root === null) continue
    if ((await findProjects(db, identity)).includes(project)) return identity.root
  }
  return undefined
}
