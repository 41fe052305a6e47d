import { localFolder } from "../../coding/git/local-folder.ts"
import { projectsWithMemories, recentProjects } from "../../memory/model/known-projects.ts"
import { type ProjectFinder, projectConfig } from "../../memory/model/project.ts"
import { projectsWithSessions } from "../../sessions/session-projects.ts"
import type { InstallCore } from "../../storage/core.ts"

/** The projects on this machine that a cycle leaves alone. */
export interface ExcludedProjects {
  /** Not tended at all: `ambient.enabled = false`, or an invalid configuration. */
  excluded: ReadonlySet<string>
  /** Not shown to models: the excluded ones, and those with `models.provider = "none"`. */
  unseen: ReadonlySet<string>
}

const mostKnown = 10_000

/** Reads the projects' own configurations. */
export async function excludedProjects(
  needs: InstallCore & { projects: ProjectFinder },
): Promise<ExcludedProjects> {
  const excluded = new Set<string>()
  const unseen = new Set<string>()
  const { db, install } = needs
  const projects = [
    ...(await projectsWithMemories(db)),
    ...(await projectsWithSessions(db, install)),
    // A model can name these too.
    ...(await recentProjects(db, mostKnown)),
  ]
  for (const project of new Set(projects)) {
    const tended = await tendedBy(needs, project)
    if (tended === "nobody") excluded.add(project)
    if (tended !== "anybody") unseen.add(project)
  }
  return { excluded, unseen }
}

async function tendedBy(
  needs: InstallCore & { projects: ProjectFinder },
  project: string,
): Promise<"anybody" | "rules" | "nobody"> {
  const root = await localFolder(needs, project)
  if (root === undefined) return "anybody"
  try {
    const { ambient, memory, models } = await projectConfig(needs.config, await needs.projects.find(root))
    if (!ambient.enabled || !memory.enabled) return "nobody"
    return models.provider === "none" ? "rules" : "anybody"
  } catch {
    return "nobody"
  }
}
