import { type ProjectFinder, projectConfig } from "../../memory/model/project.ts"
import { forgetTurnsBefore, projectsWithTurns } from "../../sessions/forget-turns.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import { localFolder } from "../git/local-folder.ts"

/** Deletes turns that are too old to be kept: by the configuration, and earlier where a project's own says so. */
export async function forgetTurns(
  needs: InstallCore & { projects: ProjectFinder },
  now: number,
  by: By,
): Promise<number> {
  const { install, db, config } = needs
  const keepDays = config.sessions.keep_days
  let forgotten = await forgetTurnsBefore(db, { install, now, keepDays }, by)
  for (const project of await projectsWithTurns(db, install)) {
    const own = await keepDaysOf(needs, project)
    if (own < keepDays) forgotten += await forgetTurnsBefore(db, { install, now, keepDays: own, project }, by)
  }
  return forgotten
}

/** How long a project on this machine wants words kept; where its configuration cannot be understood, as all others. */
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
