import type { Screen } from "../../../privacy/screen.ts"
import type { Core } from "../../../storage/core.ts"
import type { By } from "../../../storage/journal.ts"
import { cleanTags } from "../../model/memory.ts"
import type { ProjectFinder } from "../../model/project.ts"
import { rootsOf } from "../../model/project.ts"
import { cleaner } from "../../model/screen-memory.ts"
import { requireAll } from "./forget-restore.ts"
import { act, type Changed, changed } from "./operation.ts"

interface TagChange {
  ids: readonly string[]
  add: readonly string[]
  remove: readonly string[]
  /** The folders it is asked in. */
  from?: string | string[] | undefined
}

/** Gives memories tags, and takes tags from them. */
export async function tagMemories(
  needs: Core & { screen: Screen; projects: ProjectFinder },
  { ids, add, remove, from = [] }: TagChange,
  by: By,
): Promise<Changed> {
  const unwanted = new Set(cleanTags(remove))
  const saidIn = await rootsOf(needs, [from].flat())
  const wanted = await Promise.all(add.map(cleaner(needs.screen, { saidIn })))
  return act(needs, by, { kinds: ["memory.tagged"], about: ids }, async (transaction, at) => {
    const found = await requireAll(transaction, ids)
    const memories = found.flatMap((before) => {
      const tags = cleanTags([...before.tags, ...wanted]).filter((tag) => !unwanted.has(tag))
      if (tags.join("\n") === before.tags.join("\n")) return []
      return [{ kind: "memory.tagged" as const, before, after: changed(before, at, { tags }) }]
    })
    return { memories }
  })
}
