import { localFolder } from "../../coding/git/local-folder.ts"
import type { Config } from "../../config/schema.ts"
import { type ProjectFinder, projectConfig } from "../../memory/project.ts"
import type { Database } from "../../storage/database.ts"
import { sql } from "../../storage/sql.ts"

interface SparedNeeds {
  db: Database
  projects: ProjectFinder
  install: string
  config: Config
}

/** The projects on this machine whose own configuration says `ambient.enabled = false`, or cannot be understood. */
export async function sparedProjects(needs: SparedNeeds): Promise<Set<string>> {
  const spared = new Set<string>()
  const rows = await needs.db.read<{ project: string }>(
    sql`select distinct project from memories where status = 'active' and project is not null`,
  )
  for (const { project } of rows) if (await isSpared(needs, project)) spared.add(project)
  return spared
}

async function isSpared(needs: SparedNeeds, project: string): Promise<boolean> {
  const root = await localFolder(needs, project)
  if (root === undefined) return false
  try {
    const { ambient, memory } = await projectConfig(needs.config, await needs.projects.find(root))
    return !ambient.enabled || !memory.enabled
  } catch {
    return true
  }
}
