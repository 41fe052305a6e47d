import { rootOf } from "../../memory/model/known-projects.ts"
import { findProjects, type ProjectFinder } from "../../memory/model/project.ts"
import { foldersOf } from "../../sessions/session-projects.ts"
import type { Reader } from "../../storage/transaction.ts"

/** Folders of sessions that are tried where a project is not where it was first seen. */
const mostTried = 5

/** Where a project is on this machine: its top folder, or undefined if it is not here or another one stands there now. */
export async function localFolder(
  { db, projects, install }: { db: Reader; projects: ProjectFinder; install: string },
  project: string,
): Promise<string | undefined> {
  const root = (await rootOf(db, project)) ?? ""
  const folders = [root, ...(await foldersOf(db, install, project, mostTried))]
  for (const folder of new Set(folders.filter((one) => one !== ""))) {
    const identity = await projects.find(folder)
    if (identity.root === null) continue
    if ((await findProjects(db, identity)).includes(project)) return identity.root
  }
  return undefined
}
