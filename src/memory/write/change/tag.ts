import type { Screen } from "../../../privacy/screen.ts"
import type { Core } from "../../../storage/core.ts"
import type { By } from "../../../storage/journal.ts"
import { cleanTags } from "../../model/memory.ts"
import type { ProjectFinder } from "../../model/project.ts"
import { rootsOf } from "../../model/project.ts"
import { createCleaner } from "../../model/screen-memory.ts"
import { requireAll } from "./forget-restore.ts"
import { type ChangeResult, changed, runOperation } from "./operation.ts"

interface TagChange {
  ids: readonly string[]
  add: readonly string[]
  remove: readonly string[]
  /** The folders that the request comes from. */
  from?: string | string[] | undefined
}

/** Adds tags to memories, and removes tags from them. */
export async function tagMemories(
  needs: Core & { screen: Screen; projects: ProjectFinder },
  { ids, add, remove, from = [] }: TagChange,
  by: By,
): Promise<ChangeResult> {
  const unwanted = new Set(cleanTags(remove))
  const sourceRoots = await rootsOf(needs, [from].flat())
  const wanted = await Promise.all(add.map(createCleaner(needs.screen, { sourceRoots })))
  return runOperation(needs, by, { kinds: ["memory.tagged"], about: ids }, async (transaction, at) => {
    const found = await requireAll(transaction, ids)
    const memories = found.flatMap((before) => {
      const tags = cleanTags([...before.tags, ...wanted]).filter((tag) => !unwanted.has(tag))
      if (tags.join("\n") === before.tags.join("\n")) return []
      return [{ kind: "memory.tagged" as const, before, after: changed(before, at, { tags }) }]
    })
    return { memories }
  })
}
