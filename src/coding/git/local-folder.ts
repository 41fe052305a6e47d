import { projectRoot } from "../../memory/model/known-projects.ts"
import { findProjects, type ProjectFinder } from "../../memory/model/project.ts"
import { foldersOf } from "../../sessions/session-projects.ts"
import type { Reader } from "../../storage/transaction.ts"

/** At most this many session folders are tried if a project is not where it was first seen. */
const mostTried = 5

/** The top folder of a project on this machine; undefined if it is not here, or another project has its place. */
export async function localFolder(
  { db, projects, install }: { db: Reader; projects: ProjectFinder; install: string },
  project: string,
): Promise<string | undefined> {
  const root = (await projectRoot(db, project)) ?? ""
  const folders = [root, ...(await foldersOf(db, install, project, mostTried))]
  for (const folder of new Set(folders.filter((one) => one !== ""))) {
    const identity = await projects.find(folder)
    if (identity.root === null) continue
    if ((await findProjects(db, identity)).includes(project)) return identity.root
  }
  return undefined
}
