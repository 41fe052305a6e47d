import { sql, sqlList } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { type ViewerQuery, viewerFor, visibleTo } from "../../model/visibility.ts"
import { type ClusterScope, organisable } from "./scope.ts"

/** A cluster as the API lists it. */
export interface ListedCluster {
  id: string
  name: string
  project: ClusterScope
  projectName: string | null
  size: number
  updatedAt: number
  /** The strongest members first. */
  members: { id: string; content: string }[]
}

interface MemberRow {
  cluster: string
  id: string
  content: string
  size: number
}

/** The visible clusters with at most `members` members each, the largest of each scope first. */
export async function listClusters(
  core: Pick<MemoryCore, "db" | "projects">,
  { members, ...query }: ViewerQuery & { members: number },
): Promise<ListedCluster[]> {
  const { db } = core
  const viewer = await viewerFor(core, query)
  const scopes = viewer.allProjects
    ? sql`true`
    : sql`(c.project is null or c.project in ${sqlList(viewer.projects)})`
  const clusters = await db.read<Omit<ListedCluster, "size" | "members">>(sql`
    select c.id as id, c.name as name, c.project as project, p.name as "projectName", c.updated_at as "updatedAt"
    from clusters c left join projects p on p.id = c.project where ${scopes} order by c.id`)
  const visible = sql`${visibleTo(viewer)} and ${organisable}`
  const rows = await db.read<MemberRow>(sql`
    select cluster, id, content, size from (
      select c.id as cluster, m.id as id, m.content as content,
        row_number() over (partition by c.id order by e.weight desc, m.created_at desc, m.id) as rank,
        count(*) over (partition by c.id) as size
      from clusters c join edges e on e.target = 'cluster:' || c.id and e.kind = 'in-cluster'
      join memories m on m.id = e.source
      where ${scopes} and ${visible} and coalesce(m.project, '') = coalesce(c.project, '')
    ) found where rank <= ${Math.max(1, members)} order by cluster, rank`)
  const shown = Map.groupBy(rows, ({ cluster }) => cluster)
  return clusters
    .flatMap((cluster) => {
      const some = shown.get(cluster.id)
      const size = some?.[0]?.size
      if (some === undefined || size === undefined) return []
      const listed = some.slice(0, members).map(({ id, content }) => ({ id, content }))
      return [{ ...cluster, size, members: listed }]
    })
    .toSorted(
      (a, b) => order(a.projectName ?? "", b.projectName ?? "") || b.size - a.size || order(a.name, b.name),
    )
}

/** The clusters a memory belongs to; usually one or none. */
export function clustersWith(on: Reader, memory: string): Promise<{ id: string; name: string }[]> {
  return on.read(sql`
    select c.id as id, c.name as name from edges e join clusters c on e.target = 'cluster:' || c.id
    where e.source = ${memory} and e.kind = 'in-cluster' order by c.id`)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
