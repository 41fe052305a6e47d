import { appendEntries, type By } from "../../../storage/journal.ts"
import { type Sql, sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { batchesOf, batchSize } from "./batch.ts"

/** The kinds of edges between nodes of the graph, read from source to target. */
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

/** The kinds whose changes have their own journal entries. Tags are part of their memories, and clusters are derived. */
export const linkKinds: readonly EdgeKind[] = edgeKinds.filter(
  (kind) => kind !== "has-tag" && kind !== "in-cluster",
)

/**
 * The kinds of undecided conflicts between two active memories: rules found a contradiction, or the trained model takes
 * the source for an update of the target. A person decides, or a model in a cycle.
 */
export const openKinds = ["contradicts", "may-replace"] as const satisfies readonly EdgeKind[]
export type OpenKind = (typeof openKinds)[number]

/** The kinds that lead from a memory to a tag: given, and inferred. */
export const tagKinds: readonly EdgeKind[] = ["has-tag", "inferred-tag"]

/** A typed link between memories, tags and clusters. */
export interface Edge {
  source: string
  kind: EdgeKind
  target: string
  /** The strength of the link, 0 to 1. */
  weight: number
  createdAt: number
}

/** One change of one edge: the edge before and after. */
export interface EdgeChange {
  before: Edge | null
  after: Edge | null
  at: number
  by: By
  /** The version of the trained model that proposed it, if one did. */
  judge?: string | undefined
}

/** Applies changes of edges and writes their journal entries. */
export async function changeEdges(transaction: Transaction, changes: readonly EdgeChange[]): Promise<void> {
  for (const batch of batchesOf(changes, batchSize)) {
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

/** Writes edges without journal entries. */
export async function putEdges(transaction: Transaction, edges: readonly Edge[]): Promise<void> {
  for (const some of batchesOf(edges)) {
    const rows = some.map(({ source, kind, target, weight, createdAt: at }) => [
      source,
      kind,
      target,
      weight,
      at,
    ])
    await transaction.run(sql`
      insert into edges (source, kind, target, weight, created_at) values ${sqlRows(rows)}
      on conflict (source, kind, target) do update set weight = excluded.weight, created_at = excluded.created_at`)
  }
}

/** Deletes edges without journal entries. */
export async function removeEdges(transaction: Transaction, edges: readonly Edge[]): Promise<void> {
  for (const some of batchesOf(edges)) {
    const keys = sqlRows(some.map(({ source, kind, target }) => [source, kind, target]))
    await transaction.run(sql`delete from edges where (source, kind, target) in (values ${keys})`)
  }
}

const columns = sql`source, kind, target, weight, created_at as "createdAt"`

/** The edges from and to these nodes, of these kinds; sorted, each once. */
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

/** The edges that match a condition. */
export function selectEdges(on: Reader, where: Sql, rest: Sql = sql``): Promise<Edge[]> {
  return on.read<Edge>(sql`select ${columns} from edges where ${where} ${rest}`)
}

/** The undecided conflicts between two memories, in either direction. */
export function openEdgesBetween(on: Reader, a: string, b: string): Promise<Edge[]> {
  const either = sql`((source = ${a} and target = ${b}) or (source = ${b} and target = ${a}))`
  return selectEdges(on, sql`kind in ${sqlList(openKinds)} and ${either}`)
}

/** One edge, if it exists. */
export async function findEdge(
  on: Reader,
  { source, kind, target }: Pick<Edge, "source" | "kind" | "target">,
): Promise<Edge | undefined> {
  const [edge] = await selectEdges(on, sql`source = ${source} and kind = ${kind} and target = ${target}`)
  return edge
}
