import type { Core } from "../../../storage/core.ts"
import { appendEntry, type By, lastEntry, readJournal } from "../../../storage/journal.ts"
import { sql } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { type Edge, putEdges, removeEdges } from "../../model/store/graph.ts"
import type { OldCluster } from "../clustering/match.ts"
import { type FoundCluster, findClusters } from "./find-clusters.ts"
import { loadScope, type ScopeMemory } from "./load.ts"
import { findRun, putRun } from "./run.ts"
import { type ClusterScope, inScope, scopeName } from "./scope.ts"
import {
  clusterNode,
  clustersOf,
  memberEdge,
  membersOfScope,
  putClusters,
  removeClusters,
} from "./store-clusters.ts"

/** The core, with the model whose vectors are compared. */
export interface ClusterCore extends Core {
  model: string
  signal?: AbortSignal | undefined
}

/** The result of clustering a scope. */
export interface ClusterCounts {
  model: string
  /** The memories of the scope, and those among them without a vector. */
  memories: number
  withoutVector: number
  clusters: number
  /** How many memories belong to a cluster. */
  members: number
  /** How many clusters are new, and how many no longer exist. */
  added: number
  removed: number
}

/** The memories of a scope, and its clusters; "overtaken" if another run saved its clusters first. */
export interface Refreshed {
  counts: ClusterCounts | "overtaken"
  memories: ScopeMemory[]
}

/**
 * Clusters a scope in the background and writes the result in one short transaction, without memories that changed
 * meanwhile. If another run finished first, nothing is written. Clusters are derived, so undo ignores them.
 */
export async function refreshClusters(core: ClusterCore, scope: ClusterScope, by: By): Promise<Refreshed> {
  const { db, model } = core
  const entry = await lastEntry(db)
  const run = (await findRun(db, scope))?.run ?? 0
  const memories = await loadScope(core, scope, model)
  const earlier = await earlierCounts(db, scope, by)
  if (earlier) return { counts: earlier, memories }
  const before = oldClusters(await membersOfScope(db, scope))
  const found = await findClusters(core, memories, before)
  const withoutVector = memories.filter(({ vector }) => vector === undefined).length
  const result = { scope, run, entry, found, memories: memories.length, withoutVector }
  const counts = await db.write((transaction) => saveClusters(core, transaction, result, by))
  return { counts, memories }
}

/** The result of this operation if it is repeated. */
async function earlierCounts(on: Reader, scope: ClusterScope, by: By): Promise<ClusterCounts | undefined> {
  const query = { operation: by.operation, subject: scopeName(scope), kind: "clusters.refreshed", limit: 1 }
  const [entry] = await readJournal(on, query)
  return entry?.data as ClusterCounts | undefined
}

function oldClusters(edges: readonly Edge[]): OldCluster[] {
  const nodes = Map.groupBy(edges, ({ target }) => target)
  return [...nodes].map(([node, members]) => ({
    id: node.slice(clusterNode("").length),
    members: members.map(({ source }) => source),
  }))
}

interface RunResult {
  scope: ClusterScope
  /** The number of the previous run, and the newest journal entry when this run began. */
  run: number
  entry: number
  found: readonly FoundCluster[]
  memories: number
  withoutVector: number
}

async function saveClusters(
  { clock, model }: ClusterCore,
  transaction: Transaction,
  { scope, run, entry, found, memories, withoutVector }: RunResult,
  by: By,
): Promise<Refreshed["counts"]> {
  if (((await findRun(transaction, scope))?.run ?? 0) !== run) return "overtaken"
  const at = clock.now()
  const current = await withoutChangedMembers(transaction, scope, found)
  const edges = current.flatMap(({ id, members }) =>
    members.map(({ memory, weight }) => memberEdge(memory, id, weight)),
  )
  await writeMembers(transaction, await membersOfScope(transaction, scope), edges)
  const stored = current.map(({ members, ...cluster }) => ({
    ...cluster,
    project: scope,
    model,
    members: members.length,
    updatedAt: at,
  }))
  const old = await transaction.read<{ id: string }>(sql`select id from clusters where ${clustersOf(scope)}`)
  const ids = new Set(stored.map(({ id }) => id))
  const gone = old.filter(({ id }) => !ids.has(id)).map(({ id }) => id)
  await removeClusters(transaction, gone)
  await putClusters(transaction, stored)
  await putRun(transaction, { scope: scopeName(scope), run: run + 1, at, entry, model, memories })
  const counts: ClusterCounts = {
    model,
    memories,
    withoutVector,
    clusters: stored.length,
    members: edges.length,
    added: stored.length - (old.length - gone.length),
    removed: gone.length,
  }
  const subject = scopeName(scope)
  await appendEntry(transaction, { ...by, at, kind: "clusters.refreshed", subject, data: counts })
  return counts
}

/** The clusters without memories that were hidden, moved or reworded since they were read. */
async function withoutChangedMembers(
  transaction: Transaction,
  scope: ClusterScope,
  found: readonly FoundCluster[],
): Promise<FoundCluster[]> {
  if (found.length === 0) return []
  const rows = await transaction.read<{ id: string; key: string }>(
    sql`select m.id as id, m.content_key as key from memories m where ${inScope(scope)}`,
  )
  const now = new Map(rows.map(({ id, key }) => [id, key]))
  return found
    .map((cluster) => ({
      ...cluster,
      members: cluster.members.filter(({ memory }) => now.get(memory.id) === memory.key),
    }))
    .filter(({ members }) => members.length > 0)
}

async function writeMembers(
  transaction: Transaction,
  before: readonly Edge[],
  after: readonly Edge[],
): Promise<void> {
  const keyOf = ({ source, target }: Edge) => `${source} ${target}`
  const had = new Map(before.map((edge) => [keyOf(edge), edge.weight]))
  const has = new Set(after.map(keyOf))
  const gone = before.filter((edge) => !has.has(keyOf(edge)))
  const changed = after.filter((edge) => had.get(keyOf(edge)) !== edge.weight)
  await removeEdges(transaction, gone)
  await putEdges(transaction, changed)
}
