import type { Core } from "../../../storage/core.ts"
import type { Database } from "../../../storage/database.ts"
import { appendEntry, type By, lastEntry, readJournal } from "../../../storage/journal.ts"
import { sql } from "../../../storage/sql.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import type { OldCluster } from "../clustering/match.ts"
import { type FoundCluster, findClusters } from "./find-clusters.ts"
import { loadScope, type Organised } from "./load.ts"
import { addMembers, type Membership, membershipsOf, removeMembers } from "./members.ts"
import { findRun, putRun } from "./run.ts"
import { type ClusterScope, inScope, scopeName } from "./scope.ts"
import { clusterNode, clustersOf, putClusters, removeClusters } from "./store-clusters.ts"

/** What finding clusters needs. */
export interface RefreshNeeds extends Core {
  /** The model whose vectors are compared. */
  model: string
  signal?: AbortSignal | undefined
}

/** How finding the clusters of a scope went. */
export interface ClusterCounts {
  model: string
  /** The memories of the scope, and those among them that could not be compared yet. */
  memories: number
  withoutVector: number
  clusters: number
  /** How many memories belong to a cluster. */
  members: number
  /** How many clusters are new, and how many are no more. */
  added: number
  removed: number
}

/** Another run was quicker: what it found stands. */
type Overtaken = "overtaken"

/** A scope's memories, and the clusters that were found among them. */
export interface Refreshed {
  counts: ClusterCounts | Overtaken
  memories: Organised[]
}

/**
 * Finds the clusters of a scope anew, without holding anything up, and writes them in one short transaction. What
 * changed meanwhile is left out; if another run wrote its clusters meanwhile, nothing is written. Clusters are derived
 * from what is there: undo neither takes them back nor trips over them.
 */
export async function refreshClusters(needs: RefreshNeeds, scope: ClusterScope, by: By): Promise<Refreshed> {
  const { db, model } = needs
  const entry = await lastEntry(db)
  const run = (await findRun(db, scope))?.run ?? 0
  const memories = await loadScope(needs, scope, model)
  const earlier = await earlierCounts(db, scope, by)
  if (earlier) return { counts: earlier, memories }
  const before = oldClusters(await membershipsOf(db, scope))
  const found = await findClusters(needs, memories, before)
  const withoutVector = memories.filter(({ vector }) => vector === undefined).length
  const result = { scope, run, entry, found, memories: memories.length, withoutVector }
  const counts = await db.write((transaction) => writeFound(needs, transaction, result, by))
  return { counts, memories }
}

/** What this operation found before, if it is sent a second time. */
async function earlierCounts(
  on: Pick<Database, "read">,
  scope: ClusterScope,
  by: By,
): Promise<ClusterCounts | undefined> {
  const query = { operation: by.operation, subject: scopeName(scope), kind: "clusters.refreshed", limit: 1 }
  const [entry] = await readJournal(on, query)
  return entry?.data as ClusterCounts | undefined
}

function oldClusters(memberships: readonly Membership[]): OldCluster[] {
  const nodes = Map.groupBy(memberships, ({ node }) => node)
  return [...nodes].map(([node, members]) => ({
    id: node.slice(clusterNode("").length),
    members: members.map(({ memory }) => memory),
  }))
}

interface Result {
  scope: ClusterScope
  /** The number of the run before, and the newest journal entry when this one began. */
  run: number
  entry: number
  found: readonly FoundCluster[]
  memories: number
  withoutVector: number
}

async function writeFound(
  { clock, model }: RefreshNeeds,
  transaction: Transaction,
  { scope, run, entry, found, memories, withoutVector }: Result,
  by: By,
): Promise<ClusterCounts | Overtaken> {
  if (((await findRun(transaction, scope))?.run ?? 0) !== run) return "overtaken"
  const at = clock.now()
  const standing = await stillThere(transaction, scope, found)
  const wanted = standing.flatMap(({ id, members }) =>
    members.map(({ memory, weight }) => ({
      memory: memory.id,
      node: clusterNode(id),
      weight,
      createdAt: memory.createdAt,
    })),
  )
  await writeMembers(transaction, await membershipsOf(transaction, scope), wanted)
  const stored = standing.map(({ members, ...cluster }) => ({
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
  const added = stored.length - (old.length - gone.length)
  const counts: ClusterCounts = {
    model,
    memories,
    withoutVector,
    clusters: stored.length,
    members: wanted.length,
    added,
    removed: gone.length,
  }
  const told = { ...by, at, kind: "clusters.refreshed" as const, subject: scopeName(scope), data: counts }
  await appendEntry(transaction, told)
  return counts
}

/** The clusters without memories that were forgotten, replaced, moved or rewritten since they were read. */
async function stillThere(
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
  before: readonly Membership[],
  after: readonly Membership[],
): Promise<void> {
  const had = new Map(before.map((one) => [`${one.memory} ${one.node}`, one.weight]))
  const has = new Set(after.map((one) => `${one.memory} ${one.node}`))
  await removeMembers(
    transaction,
    before.filter((one) => !has.has(`${one.memory} ${one.node}`)),
  )
  await addMembers(
    transaction,
    after.filter((one) => had.get(`${one.memory} ${one.node}`) !== one.weight),
  )
}
