import { appendEntries, type By } from "../../../storage/journal.ts"
import { joinSql, type Sql, sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { batchesOf, batchSize } from "./batch.ts"

/** How two nodes of the graph belong together; read from source to target. */
export const edgeKinds = [
  "has-tag",
  "inferred-tag",
  "in-cluster",
  "relates-to",
  "supersedes",
  "contradicts",
  "may-replace",
  "derived-from",
  "part-of",
] as const
export type EdgeKind = (typeof edgeKinds)[number]

/**
 * The kinds whose changes have journal entries of their own. Tags that were told travel with their memories, and
 * clusters are found anew from what is there.
 */
export const linkKinds: readonly EdgeKind[] = edgeKinds.filter(
  (kind) => kind !== "has-tag" && kind !== "in-cluster",
)

/**
 * The kinds that leave a question open between two active memories: rules see that they contradict each other, or the
 * trained model takes the source for a newer state of what the target says. A person decides, or a model in a cycle.
 */
export const openKinds = ["contradicts", "may-replace"] as const satisfies readonly EdgeKind[]
export type OpenKind = (typeof openKinds)[number]

/** The kinds that lead from a memory to a tag: told, and inferred. */
export const tagKinds: readonly EdgeKind[] = ["has-tag", "inferred-tag"]

/** A typed link between memories, tags and clusters. */
export interface Edge {
  source: string
  kind: EdgeKind
  target: string
  /** How strongly they belong together, 0 to 1. */
  weight: number
  createdAt: number
}

/** One change of one edge, with its images before and after. */
export interface EdgeChange {
  before: Edge | null
  after: Edge | null
  at: number
  by: By
  /** The version of the trained model it rests on, where it does. */
  judge?: string | undefined
}

/** Applies changes of edges, and writes their journal entries, together. Tags travel with their memories instead. */
export async function changeEdges(transaction: Transaction, changes: readonly EdgeChange[]): Promise<void> {
  for (let from = 0; from < changes.length; from += batchSize) {
    const batch = changes.slice(from, from + batchSize)
    await removeEdges(
      transaction,
      batch.flatMap(({ before, after }) => (before && !after ? [before] : [])),
    )
    await putEdges(
      transaction,
      batch.flatMap(({ after }) => (after ? [after] : [])),
    )
    await appendEntries(
      transaction,
      batch.map(({ before, after, at, by, judge }) => {
        const kind = after === null ? "edge.removed" : before === null ? "edge.added" : "edge.weighed"
        const data = { before, after, ...(judge === undefined ? {} : { judge }) }
        return { ...by, at, kind, subject: (after ?? before)?.source ?? null, data }
      }),
    )
  }
}

/** Writes edges as they are; the journal is the caller's part. */
async function putEdges(transaction: Transaction, edges: readonly Edge[]): Promise<void> {
  if (edges.length === 0) return
  const rows = edges.map(({ source, kind, target, weight, createdAt }) => [
    source,
    kind,
    target,
    weight,
    createdAt,
  ])
  await transaction.run(sql`
    insert into edges (source, kind, target, weight, created_at) values ${sqlRows(rows)}
    on conflict (source, kind, target) do update set weight = excluded.weight, created_at = excluded.created_at`)
}

async function removeEdges(transaction: Transaction, edges: readonly Edge[]): Promise<void> {
  if (edges.length === 0) return
  const each = edges.map(
    ({ source, kind, target }) => sql`(source = ${source} and kind = ${kind} and target = ${target})`,
  )
  await transaction.run(sql`delete from edges where ${joinSql(each, sql` or `)}`)
}

const columns = sql`source, kind, target, weight, created_at as "createdAt"`

/** The edges from and to these nodes, of every kind unless some are named; sorted, each once. */
export async function edgesAt(
  on: Reader,
  nodes: readonly string[],
  kinds: readonly EdgeKind[] = edgeKinds,
): Promise<Edge[]> {
  const found = new Map<string, Edge>()
  for (const ids of batchesOf(nodes)) {
    const some = sqlList(ids)
    const ofKinds = sql`kind in ${sqlList(kinds)}`
    const edges = await on.read<Edge>(sql`
      select ${columns} from edges where source in ${some} and ${ofKinds}
      union all select ${columns} from edges where target in ${some} and ${ofKinds}`)
    for (const edge of edges) found.set(`${edge.source} ${edge.kind} ${edge.target}`, edge)
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge)
}

/** Edges that fulfil a condition. */
export function selectEdges(on: Reader, where: Sql, rest: Sql = sql``): Promise<Edge[]> {
  return on.read<Edge>(sql`select ${columns} from edges where ${where} ${rest}`)
}

/** The edges between two memories that leave a question open, whichever way they lead. */
export function openEdgesBetween(on: Reader, a: string, b: string): Promise<Edge[]> {
  const either = sql`((source = ${a} and target = ${b}) or (source = ${b} and target = ${a}))`
  return selectEdges(on, sql`kind in ${sqlList(openKinds)} and ${either}`)
}

/** One edge, if it is there. */
export async function findEdge(
  on: Reader,
  { source, kind, target }: Pick<Edge, "source" | "kind" | "target">,
): Promise<Edge | undefined> {
  const [edge] = await selectEdges(on, sql`source = ${source} and kind = ${kind} and target = ${target}`)
  return edge
}
