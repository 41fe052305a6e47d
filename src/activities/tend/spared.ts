import { localFolder } from "../../coding/git/local-folder.ts"
import type { Config } from "../../config/schema.ts"
import { type ProjectFinder, projectConfig } from "../../memory/model/project.ts"
import type { Database } from "../../storage/database.ts"
import { sql } from "../../storage/sql.ts"

interface SparedNeeds {
  db: Database
  projects: ProjectFinder
  install: string
  config: Config
}

/** The projects on this machine that a cycle has to leave alone. */
export interface SparedProjects {
  /** Nothing of theirs is tended: `ambient.enabled = false`, or a configuration that cannot be understood. */
  spared: ReadonlySet<string>
  /** No model may see anything of theirs: those, and projects with `models.provider = "none"`. */
  unseen: ReadonlySet<string>
}

/** What the projects' own configurations say about tending. */
export async function sparedProjects(needs: SparedNeeds): Promise<SparedProjects> {
  const spared = new Set<string>()
  const unseen = new Set<string>()
  const rows = await needs.db.read<{ project: string }>(sql`
    select project from memories where status = 'active' and project is not null
    union select project from sessions where install = ${needs.install} and project is not null`)
  for (const { project } of rows) {
    const tended = await tendedBy(needs, project)
    if (tended === "nobody") spared.add(project)
    if (tended !== "anybody") unseen.add(project)
  }
  return { spared, unseen }
}

async function tendedBy(needs: SparedNeeds, project: string): Promise<"anybody" | "rules" | "nobody"> {
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
