import type { Config } from "../../config/schema.ts"
import type { RetrieveNeeds } from "../../memory/find/retrieve.ts"
import { findProjects, projectConfig } from "../../memory/model/project.ts"
import type { BriefScope } from "../brief/brief.ts"

/** Where a session is: its project as the database knows it, and the configuration that holds there. */
export interface SessionScope extends BriefScope {
  config: Config
}

/** Finds out where a session is; asks git, so it is not for the foreground of a turn. */
export async function findScope(needs: RetrieveNeeds, project: string | undefined): Promise<SessionScope> {
  if (project === undefined) return { projects: [], root: null, config: needs.config }
  const identity = await needs.projects.find(project)
  const projects = await findProjects(needs.db, identity)
  return { projects, root: identity.root, config: await projectConfig(needs.config, identity) }
}

/** Whether anything may be brought up there. */
export function isOn({ config }: Pick<SessionScope, "config">): boolean {
  return config.memory.enabled && config.recall.enabled
}
