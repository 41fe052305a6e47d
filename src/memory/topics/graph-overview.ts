import { stripInvisible } from "../../base/text/invisible.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { type EdgeKind, selectEdges } from "../model/store/graph.ts"
import { type ViewerQuery, viewerFor, visibleTo } from "../model/visibility.ts"

/** The graph of memories in compact form: edges refer to nodes by their index. */
export interface GraphOverview {
  projects: { id: string; name: string }[]
  clusters: { id: string; name: string }[]
  nodes: OverviewNode[]
  edges: { source: number; target: number; kind: EdgeKind }[]
  /** The number of memories; larger than `nodes` when only the newest are included. */
  total: number
}

interface OverviewNode {
  id: string
  /** The beginning of its text. */
  label: string
  type: Memory["type"]
  /** Indices in the lists of projects and clusters, or -1. */
  project: number
  cluster: number
  strength: number
}

const labelLength = 90
const drawnKinds: readonly EdgeKind[] = ["relates-to", "supersedes", "contradicts", "derived-from", "part-of"]

/** The newest visible active memories, with their clusters and the edges between them. */
export async function graphOverview(
  core: Pick<MemoryCore, "db" | "projects">,
  { limit, ...query }: ViewerQuery & { limit: number },
): Promise<GraphOverview> {
  const { db } = core
  const visible = sql`(m.status = 'active' and ${visibleTo(await viewerFor(core, query))})`
  const [counted] = await db.read<{ total: number }>(
    sql`select count(*) as total from memories m where ${visible}`,
  )
  const found = await db.read<Omit<Row, "cluster">>(sql`
    select m.id as id, substr(m.content, 1, ${labelLength + 1}) as label, m.type as type, m.project as project,
      m.strength as strength from memories m where ${visible} order by m.seq desc limit ${limit}`)
  // There are few edges compared with memories: filtering them here is faster than a query for each node.
  const edges = await selectEdges(db, sql`kind in ${sqlList([...drawnKinds, "in-cluster"])}`)
  const clusterOf = new Map(
    edges.flatMap(({ source, kind, target }) => (kind === "in-cluster" ? [[source, target]] : [])),
  )
  const rows: Row[] = found.map((row) => ({ ...row, cluster: clusterOf.get(row.id) ?? null }))
  const indexOf = new Map(rows.map(({ id }, index) => [id, index]))
  const named = {
    projects: await namesOf(
      db,
      "projects",
      rows.flatMap(({ project }) => project ?? []),
    ),
    clusters: await namesOf(
      db,
      "clusters",
      rows.flatMap(({ cluster }) => cluster?.replace(/^cluster:/, "") ?? []),
    ),
  }
  const projectAt = new Map(named.projects.map(({ id }, index) => [id, index]))
  const clusterAt = new Map(named.clusters.map(({ id }, index) => [`cluster:${id}`, index]))
  return {
    ...named,
    nodes: rows.map((row) => ({
      id: row.id,
      label: labelOf(row.label),
      type: row.type,
      project: projectAt.get(row.project ?? "") ?? -1,
      cluster: clusterAt.get(row.cluster ?? "") ?? -1,
      strength: Number(row.strength),
    })),
    edges: edges.flatMap(({ source, target, kind }) => {
      const [from, to] = [indexOf.get(source), indexOf.get(target)]
      return from === undefined || to === undefined || kind === "in-cluster"
        ? []
        : [{ source: from, target: to, kind }]
    }),
    total: Number(counted?.total ?? 0),
  }
}

interface Row {
  id: string
  label: string
  type: Memory["type"]
  project: string | null
  cluster: string | null
  strength: number
}

function labelOf(text: string): string {
  const line = stripInvisible(text.replaceAll(/\s+/g, " ")).trim()
  return line.length > labelLength ? `${line.slice(0, labelLength - 1)}…` : line
}

/** The rows of `projects` or `clusters` with these ids, ordered by name. */
function namesOf(
  on: Reader,
  table: "projects" | "clusters",
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const from = table === "projects" ? sql`projects` : sql`clusters`
  return on.read(
    sql`select id, name from ${from} where id in ${sqlList([...new Set(ids)])} order by name, id`,
  )
}
