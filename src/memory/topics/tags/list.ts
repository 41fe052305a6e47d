import type { Database } from "../../../storage/database.ts"
import { type Sql, sql } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import { findProjects, type ProjectFinder } from "../../model/project.ts"
import { visibleTo } from "../../model/visibility.ts"
import { descriptionsOf } from "./describe.ts"
import type { TagUse } from "./variants.ts"

/** Who asks; see visibility.ts. */
export interface TagQuery {
  project?: string | undefined
  session?: string | undefined
  allProjects?: boolean | undefined
}

/** The tags of the active memories that can be seen, the most used first. */
export async function listTags(
  { db, projects }: { db: Database; projects: ProjectFinder },
  { project, session, allProjects }: TagQuery,
): Promise<TagUse[]> {
  const known = project ? await findProjects(db, await projects.find(project)) : []
  const visible = visibleTo({ projects: known, session, allProjects })
  const tags = await countTags(db, sql`m.status = 'active' and ${visible}`)
  const described = await descriptionsOf(
    db,
    tags.map(({ name }) => name),
  )
  return tags.map((tag) => {
    const description = described.get(tag.name)
    return description === undefined ? tag : { ...tag, description }
  })
}

/** How often each tag is used by memories that fulfil a condition on `memories m`. */
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
