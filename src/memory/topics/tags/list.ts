import { type Sql, sql } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { type ViewerQuery, viewerFor, visibleTo } from "../../model/visibility.ts"
import { descriptionsOf } from "./describe.ts"
import type { TagUse } from "./variants.ts"

/** The tags of the visible active memories, the most used first. */
export async function listTags(
  core: Pick<MemoryCore, "db" | "projects">,
  query: ViewerQuery,
): Promise<TagUse[]> {
  const visible = visibleTo(await viewerFor(core, query))
  const tags = await countTags(core.db, sql`m.status = 'active' and ${visible}`)
  const names = tags.map(({ name }) => name)
  const described = await descriptionsOf(core.db, names)
  return tags.map((tag) => {
    const description = described.get(tag.name)
    return description === undefined ? tag : { ...tag, description }
  })
}

/** How often memories that match a condition on `memories m` use each tag. */
export async function countTags(on: Reader, where: Sql): Promise<TagUse[]> {
  const uses = await on.read<TagUse>(sql`
    select substr(e.target, 5) as name,
      sum(case when e.kind = 'has-tag' then 1 else 0 end) as memories,
      sum(case when e.kind = 'inferred-tag' then 1 else 0 end) as inferred
    from edges e join memories m on m.id = e.source
    where e.kind in ('has-tag', 'inferred-tag') and ${where} group by e.target`)
  const order = (a: TagUse, b: TagUse) =>
    b.memories + b.inferred - a.memories - a.inferred || (a.name < b.name ? -1 : 1)
  return uses.toSorted(order)
}
