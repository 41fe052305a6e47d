import { UserError } from "../../../base/errors.ts"
import { shorten } from "../../../base/text/text.ts"
import { joinSql, type Sql, sql, sqlList } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import type { MemoryStatus, MemoryType } from "../kinds.ts"
import { cleanTags, type Memory } from "../memory.ts"
import type { MemoryCore } from "../memory-core.ts"
import { type ViewerQuery, viewerFor, visibleTo } from "../visibility.ts"
import { tagKinds } from "./graph.ts"
import { findMemory, selectMemories, tagNode } from "./store.ts"

export interface ListQuery extends ViewerQuery {
  type?: MemoryType | undefined
  tag?: string | undefined
  status?: MemoryStatus | undefined
  limit: number
  /** The last id of the page before. */
  after?: string | undefined
}

export interface MemoryPage {
  memories: Memory[]
  /** Give it as `after` for the next page; null at the end. */
  next: string | null
}

/** A page of memories, newest first. */
export async function listMemories(
  core: Pick<MemoryCore, "db" | "projects">,
  query: ListQuery,
): Promise<MemoryPage> {
  const { db } = core
  const visible = visibleTo(await viewerFor(core, query))
  const conditions: Sql[] = [sql`m.status = ${query.status ?? "active"}`, visible]
  if (query.type) conditions.push(sql`m.type = ${query.type}`)
  if (query.tag) {
    conditions.push(sql`exists (select 1 from edges e
      where e.source = m.id and e.kind in ${sqlList(tagKinds)} and e.target = ${tagNode(cleanTags([query.tag])[0] ?? "")})`)
  }
  if (query.after) {
    const last = await requireMemory(db, query.after)
    conditions.push(sql`(m.created_at < ${last.createdAt}
      or (m.created_at = ${last.createdAt} and m.id < ${last.id}))`)
  }
  const order = sql`order by m.created_at desc, m.id desc limit ${query.limit + 1}`
  const found = await selectMemories(db, joinSql(conditions, sql` and `), order)
  const memories = found.slice(0, query.limit)
  return { memories, next: found.length > query.limit ? (memories.at(-1)?.id ?? null) : null }
}

/** The memory with this id, or the only one whose id begins or ends with this text. Throws if there is none. */
export async function requireMemory(on: Reader, idOrPart: string): Promise<Memory> {
  const exact = await findMemory(on, idOrPart)
  if (exact) return exact
  const isPart = idOrPart.length >= 4 && idOrPart.length <= longestId
  const found = isPart ? await selectMemories(on, hasPart(idOrPart), sql`limit 2`) : []
  const [only, another] = found
  if (another)
    throw new UserError("usage", `Several ids begin or end with ${idOrPart}; give more characters of the id.`)
  if (only) return only
  const shown = shorten(idOrPart, longestId)
  throw new UserError("not-found", `There is no memory ${shown}; \`reverie memory list\` shows their ids.`)
}

/** Longer than any id. */
const longestId = 100

function hasPart(text: string): Sql {
  const part = text.replaceAll(/[\\%_]/g, "\\$&")
  return sql`(m.id like ${`${part}%`} escape '\\' or m.id like ${`%${part}`} escape '\\')`
}

export interface MemoryCounts {
  total: number
  active: number
  /** Those with active memories. */
  projects: number
  /** Quarantined notes of agents, which only the user can accept. */
  waiting: number
}

export async function countMemories(on: Reader): Promise<MemoryCounts> {
  const [row] = await on.read<MemoryCounts>(sql`
    select count(*) as total,
      coalesce(sum(case when status = 'active' then 1 else 0 end), 0) as active,
      count(distinct case when status = 'active' then project end) as projects,
      coalesce(sum(case when status = 'quarantined' and details like '%"notedBy":"agent"%' then 1 else 0 end), 0)
        as waiting
    from memories`)
  return row ?? { total: 0, active: 0, projects: 0, waiting: 0 }
}
