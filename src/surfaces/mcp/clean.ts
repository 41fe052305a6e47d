import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { projectConfig } from "../../memory/model/project.ts"
import { type CleanText, cleanDeep, createCleaner } from "../../memory/model/screen-memory.ts"
import type { McpNeeds } from "./needs.ts"

/**
 * Removes secrets from answers: a memory may be older than the rule that would have caught its secret, and an agent sends
 * what it reads to its provider.
 */
export function openCleaning({
  screen,
  projects,
  config,
}: Pick<MemoryCore, "screen" | "projects" | "config">): McpNeeds["clean"] {
  return async <T>(value: T, folder: string | undefined) => {
    const identity = folder === undefined ? undefined : await projects.find(folder)
    const policy = identity === undefined ? config.privacy : (await projectConfig(config, identity)).privacy
    const clean = createCleaner(screen, { projectRoot: identity?.root ?? null, policy })
    return (await cleanDeep(value, onceEach(clean))) as T
  }
}

/** Our own ids and times, which contain no secrets. */
const plain =
  /^(?:(?:m|op)_[0-9a-z]{16,22}|mcp_[0-9a-z]{16}-[0-9a-z]{16}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/

/** Cleans each text once: field values such as kinds repeat in every memory. */
function onceEach(clean: CleanText): CleanText {
  const seen = new Map<string, Promise<string>>()
  return async (text) => {
    if (plain.test(text)) return text
    const known = seen.get(text) ?? clean(text)
    seen.set(text, known)
    return known
  }
}
