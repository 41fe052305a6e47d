import type { Config } from "../../config/schema.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { findProjects, projectConfig } from "../../memory/model/project.ts"
import type { BriefScope } from "../brief/brief.ts"

/** A session's project, and the configuration that applies there. */
export interface SessionScope extends BriefScope {
  config: Config
}

/** Finds a session's project. Runs git, so a prompt should not wait for it. */
export async function findScope(needs: MemoryCore, project: string | undefined): Promise<SessionScope> {
  if (project === undefined) return { projects: [], root: null, config: needs.config }
  const identity = await needs.projects.find(project)
  const projects = await findProjects(needs.db, identity)
  return { projects, root: identity.root, config: await projectConfig(needs.config, identity) }
}

/** Whether memory and recall are both enabled. */
export function isOn({ config }: Pick<SessionScope, "config">): boolean {
  return config.memory.enabled && config.recall.enabled
}
