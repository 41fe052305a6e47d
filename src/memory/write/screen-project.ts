import type { Config } from "../../config/schema.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import type { ProjectIdentity } from "../model/project.ts"
import { cleaner, nameContext } from "../model/screen-memory.ts"

/**
 * The project that is meant. A folder that is there is called what it is called; any other name is kept for good, and
 * therefore without secrets. The kinds of what was taken out are noted in `removed`.
 */
export async function screenProject(
  { projects, screen }: Pick<MemoryCore, "projects" | "screen">,
  project: string,
  config: Config,
  removed = new Set<string>(),
  saidIn: readonly (string | null)[] = [],
): Promise<ProjectIdentity> {
  const identity = await projects.find(project)
  if (identity.root !== null) return identity
  const context = nameContext({ saidIn, policy: config.privacy }, config)
  const name = await cleaner(screen, context, removed)(project)
  return name === project ? identity : projects.find(name)
}
