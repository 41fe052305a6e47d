import { withoutUnseen } from "../../base/text/unseen.ts"
import type { Database } from "../../storage/database.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Memory } from "../model/memory.ts"
import { findProjects, type ProjectFinder } from "../model/project.ts"
import { type EdgeKind, selectEdges } from "../model/store/graph.ts"
import { visibleTo } from "../model/visibility.ts"

/** The graph of memories as small as a picture of it can be: nodes name each other by their index in the list. */
export interface GraphPicture {
  projects: { id: string; name: string }[]
  clusters: { id: string; name: string }[]
  nodes: PictureNode[]
  edges: { source: number; target: number; kind: EdgeKind }[]
  /** How many memories there are; more than `nodes` where only the newest are drawn. */
  total: number
}

interface PictureNode {
  id: string
  /** The beginning of what it says. */
  label: string
  type: Memory["type"]
  /** Indices in the lists of projects and clusters, or -1. */
  project: number
  cluster: number
  strength: number
}

interface PictureQuery {
  project?: string | undefined
  allProjects?: boolean | undefined
  limit: number
}

const labelLength = 90
const drawnKinds: readonly EdgeKind[] = ["relates-to", "supersedes", "contradicts", "derived-from", "part-of"]

/** The active memories that a viewer may see, the newest first, with their clusters and the edges between them. */
export async function pictureOf(
  { db, projects }: { db: Database; projects: ProjectFinder },
  { project, allProjects, limit }: PictureQuery,
): Promise<GraphPicture> {
  const known = project ? await findProjects(db, await projects.find(project)) : []
  const visible = sql`(m.status = 'active' and ${visibleTo({ projects: known, allProjects })})`
  const [counted] = await db.read<{ total: number }>(
    sql`select count(*) as total from memories m where ${visible}`,
  )
  const found = await db.read<Omit<Row, "cluster">>(sql`
    select m.id as id, substr(m.content, 1, ${labelLength + 1}) as label, m.type as type, m.project as project,
      m.strength as strength from memories m where ${visible} order by m.seq desc limit ${limit}`)
  // Edges are few beside memories: sorting them here is quicker than asking for each node.
  const edges = await selectEdges(db, sql`kind in ${sqlList([...drawnKinds, "in-cluster"])}`)
  const clusterOf = new Map(
    edges.flatMap(({ source, kind, target }) => (kind === "in-cluster" ? [[source, target]] : [])),
  )
  const rows: Row[] = found.map((row) => ({ ...row, cluster: clusterOf.get(row.id) ?? null }))
  const indexOf = new Map(rows.map(({ id }, index) => [id, index]))
  const named = {
    projects: await namesOf(db, "projects", rows),
    clusters: await namesOf(db, "clusters", rows),
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
  const line = withoutUnseen(text.replaceAll(/\s+/g, " ")).trim()
  return line.length > labelLength ? `${line.slice(0, labelLength - 1)}…` : line
}

/** The projects or clusters of some rows, in the order of their names. */
async function namesOf(
  db: Database,
  what: "projects" | "clusters",
  rows: readonly Row[],
): Promise<{ id: string; name: string }[]> {
  const ids = rows.flatMap(({ project, cluster }) =>
    what === "projects" ? (project ?? []) : (cluster?.replace(/^cluster:/, "") ?? []),
  )
  const known = [...new Set(ids)]
  if (known.length === 0) return []
  return what === "projects"
    ? db.read(sql`select id, name from projects where id in ${sqlList(known)} order by name, id`)
    : db.read(sql`select id, name from clusters where id in ${sqlList(known)} order by name, id`)
}
