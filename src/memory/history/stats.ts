import type { Core } from "../../storage/core.ts"
import { countEntries } from "../../storage/journal-queries.ts"
import { plainSql, type Sql, sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { memoryScopes, memorySources, memoryStatuses, memoryTypes } from "../model/kinds.ts"
import { edgeKinds } from "../model/store/graph.ts"
import { countConflicts } from "../write/change/conflicts.ts"
import { findFaded } from "../write/change/fading.ts"

/** Counts of memories. Types, scopes, projects and sources count active memories only. */
export interface MemoryStats {
  total: number
  status: Record<string, number>
  type: Record<string, number>
  scope: Record<string, number>
  source: Record<string, number>
  /** The largest first. */
  projects: { id: string; name: string; memories: number }[]
  /** The most used first. */
  tags: { name: string; memories: number }[]
  edges: Record<string, number>
  /** Pairs of active memories that contradict each other. */
  conflicts: number
  faint: number
  expired: number
  vectors: { model: string; memories: number; current: boolean }[]
  /** Active memories without a vector of the current model; null where no model is in use. */
  withoutVector: number | null
  /** The size of all texts. */
  textBytes: number
  journalEntries: number
  storage: Record<string, string>
  oldest: number | null
  newest: number | null
}

export async function statsOf({
  db,
  clock,
  embedder,
}: Pick<Core, "db" | "clock"> & { embedder?: { model: string } | undefined }): Promise<MemoryStats> {
  const faded = await findFaded(db, clock.now())
  const expired = faded.filter((one) => one.expired).length
  const vectors = await vectorCounts(db, embedder?.model)
  const activeBy = (column: "type" | "scope" | "source", names: readonly string[]) =>
    countsBy(
      db,
      names,
      sql`select ${plainSql(column)} as name, count(*) as found from memories
      where status = 'active' group by ${plainSql(column)}`,
    )
  return {
    ...(await totalsOf(db)),
    status: await countsBy(
      db,
      memoryStatuses,
      sql`select status as name, count(*) as found from memories group by status`,
    ),
    type: await activeBy("type", memoryTypes),
    scope: await activeBy("scope", memoryScopes),
    source: await activeBy("source", memorySources),
    projects: await projectCounts(db),
    tags: await tagCounts(db),
    edges: await countsBy(
      db,
      edgeKinds,
      sql`select kind as name, count(*) as found from edges group by kind`,
    ),
    conflicts: await countConflicts(db),
    faint: faded.length - expired,
    expired,
    vectors,
    withoutVector: embedder ? await missingVectors(db, embedder.model) : null,
    journalEntries: await countEntries(db),
    storage: await db.facts(),
  }
}

async function totalsOf(on: Reader): Promise<Pick<MemoryStats, "total" | "textBytes" | "oldest" | "newest">> {
  const [row] = await on.read<Pick<MemoryStats, "total" | "textBytes" | "oldest" | "newest">>(sql`
    select count(*) as total, coalesce(sum(octet_length(content)), 0) as "textBytes",
      min(created_at) as oldest, max(created_at) as newest from memories`)
  return row ?? { total: 0, textBytes: 0, oldest: null, newest: null }
}

/** The counts that a query finds, with 0 for the names it does not find. */
async function countsBy(on: Reader, names: readonly string[], query: Sql): Promise<Record<string, number>> {
  const rows = await on.read<{ name: string; found: number }>(query)
  const known = new Map(rows.map((row) => [row.name, row.found]))
  return Object.fromEntries(names.map((name) => [name, known.get(name) ?? 0]))
}

function projectCounts(on: Reader): Promise<MemoryStats["projects"]> {
  return on.read(sql`
    select p.id as id, p.name as name, count(*) as memories
    from projects p join memories m on m.project = p.id and m.status = 'active'
    group by p.id, p.name order by memories desc, p.name, p.id`)
}

function tagCounts(on: Reader): Promise<MemoryStats["tags"]> {
  return on.read(sql`
    select substr(e.target, 5) as name, count(*) as memories
    from edges e join memories m on m.id = e.source and m.status = 'active'
    where e.kind = 'has-tag' group by e.target order by memories desc, e.target limit 1000`)
}

async function vectorCounts(on: Reader, current: string | undefined): Promise<MemoryStats["vectors"]> {
  const rows = await on.read<{ model: string; memories: number }>(
    sql`select model, count(*) as memories from vectors group by model order by model`,
  )
  return rows.map((row) => ({ ...row, current: row.model === current }))
}

async function missingVectors(on: Reader, model: string): Promise<number> {
  const [row] = await on.read<{ missing: number }>(sql`
    select count(*) as missing from memories m where m.status = 'active'
      and not exists (select 1 from vectors v where v.seq = m.seq and v.model = ${model})`)
  return row?.missing ?? 0
}
