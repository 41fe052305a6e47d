import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { projectConfig } from "../../memory/model/project.ts"
import { type Clean, cleaner, eachText } from "../../memory/model/screen-memory.ts"
import type { McpNeeds } from "./needs.ts"

/**
 * Looks through answers once more before they leave: a memory may be older than the rule that would have kept its secret
 * out, and an agent sends what it reads to its provider.
 */
export function openCleaning({
  screen,
  projects,
  config,
}: Pick<MemoryCore, "screen" | "projects" | "config">): McpNeeds["clean"] {
  return async <T>(value: T, folder: string | undefined) => {
    const identity = folder === undefined ? undefined : await projects.find(folder)
    const policy = identity === undefined ? config.privacy : (await projectConfig(config, identity)).privacy
    const clean = cleaner(screen, { projectRoot: identity?.root ?? null, policy })
    return (await eachText(value, onceEach(clean))) as T
  }
}

/** Our own ids and times, which say nothing. */
const plain =
  /^(?:(?:m|op)_[0-9a-z]{16,22}|mcp_[0-9a-z]{16}-[0-9a-z]{16}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/

/** Looks at each text once: names of fields and kinds come again with every memory. */
function onceEach(clean: Clean): Clean {
  const seen = new Map<string, Promise<string>>()
  return async (text) => {
    if (plain.test(text)) return text
    const known = seen.get(text) ?? clean(text)
    seen.set(text, known)
    return known
  }
}
