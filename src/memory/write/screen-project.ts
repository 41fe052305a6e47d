import type { Config } from "../../config/schema.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import type { ProjectIdentity } from "../model/project.ts"
import { createCleaner, secretsOnly } from "../model/screen-memory.ts"

/**
 * The project of a folder or name. A name that is not an existing folder is stored, so secrets are removed from it;
 * their kinds are added to `removed`.
 */
export async function screenProject(
  { projects, screen }: Pick<MemoryCore, "projects" | "screen">,
  project: string,
  config: Config,
  removed = new Set<string>(),
  sourceRoots: readonly (string | null)[] = [],
): Promise<ProjectIdentity> {
  const identity = await projects.find(project)
  if (identity.root !== null) return identity
  const context = secretsOnly({ sourceRoots, policy: config.privacy }, config)
  const name = await createCleaner(screen, context, removed)(project)
  return name === project ? identity : projects.find(name)
}
