import { type ProjectFinder, projectConfig } from "../../memory/model/project.ts"
import { deleteTurnsBefore, projectsWithTurns } from "../../sessions/delete-turns.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import { localFolder } from "../git/local-folder.ts"

/** Deletes turns older than `sessions.keep_days`, or than a project's own shorter limit. Returns how many. */
export async function deleteOldTurns(
  needs: InstallCore & { projects: ProjectFinder },
  now: number,
  by: By,
): Promise<number> {
  const { install, db, config } = needs
  const keepDays = config.sessions.keep_days
  let deleted = await deleteTurnsBefore(db, { install, now, keepDays }, by)
  for (const project of await projectsWithTurns(db, install)) {
    const own = await keepDaysOf(needs, project)
    if (own < keepDays) deleted += await deleteTurnsBefore(db, { install, now, keepDays: own, project }, by)
  }
  return deleted
}

/** A project's own limit in days; the general one if the project is not here or its configuration is invalid. */
async function keepDaysOf(
  needs: InstallCore & { projects: ProjectFinder },
  project: string,
): Promise<number> {
  const root = await localFolder(needs, project)
  if (root === undefined) return needs.config.sessions.keep_days
  try {
    const { sessions } = await projectConfig(needs.config, await needs.projects.find(root))
    return sessions.keep_days
  } catch {
    return needs.config.sessions.keep_days
  }
}
