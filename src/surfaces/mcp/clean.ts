import type { Config } from "../../config/schema.ts"
import type { Screen } from "../../memory/privacy/screen.ts"
import { type ProjectFinder, projectConfig } from "../../memory/project.ts"
import { cleaner, eachText } from "../../memory/screen-memory.ts"
import type { McpNeeds } from "./needs.ts"

interface CleaningNeeds {
  screen: Screen
  projects: ProjectFinder
  config: Config
}

/**
 * Looks through answers once more before they leave: a memory may be older than the rule that would have kept its secret
 * out, and an agent sends what it reads to its provider.
 */
export function openCleaning({ screen, projects, config }: CleaningNeeds): McpNeeds["clean"] {
  return async <T>(value: T, folder: string | undefined) => {
    const identity = folder === undefined ? undefined : await projects.find(folder)
    const policy = identity === undefined ? config.privacy : projectConfig(config, identity).privacy
    return (await eachText(value, cleaner(screen, { projectRoot: identity?.root ?? null, policy }))) as T
  }
}
