import { sql, sqlList } from "../../storage/sql.ts"
import { contentKey } from "../memory.ts"
import type { RetrieveNeeds } from "../retrieve.ts"
import { selectMemories } from "../store.ts"
import { screened } from "./brief.ts"
import type { Prepared } from "./state.ts"
import { wholeContent } from "./write-text.ts"

/**
 * Those whose memories are there and say the same as when they were prepared, with their content. Reads their rows and
 * nothing else, so that it takes as long in a large store as in a small one.
 */
export async function stillTrue(
  { db, screen }: Pick<RetrieveNeeds, "db" | "screen">,
  root: string | null,
  offered: readonly Prepared[],
): Promise<Prepared[]> {
  if (offered.length === 0) return []
  const ids = sqlList(offered.map(({ id }) => id))
  const found = await selectMemories(db, sql`m.status = 'active' and m.id in ${ids}`)
  const memories = new Map(found.map((memory) => [memory.id, memory]))
  const each = offered.map(async (one): Promise<Prepared[]> => {
    const memory = memories.get(one.id)
    if (memory === undefined || contentKey(memory.content) !== one.key) return []
    if (one.content !== "") return [one]
    const content = await screened(screen, wholeContent(memory), root)
    return content === undefined ? [] : [{ ...one, content }]
  })
  return (await Promise.all(each)).flat()
}
