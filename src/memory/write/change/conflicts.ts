import { UserError } from "../../../base/errors.ts"
import type { Core } from "../../../storage/core.ts"
import type { By } from "../../../storage/journal.ts"
import { type Sql, sql, sqlList } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import type { conflictChoices } from "../../model/kinds.ts"
import { type Memory, normalizeDetails } from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { requireMemory } from "../../model/store/browse.ts"
import {
  type Edge,
  type EdgeKind,
  edgesAt,
  type OpenKind,
  openEdgesBetween,
  openKinds,
  selectEdges,
} from "../../model/store/graph.ts"
import { findMemories } from "../../model/store/store.ts"
import { type ViewerQuery, viewerFor, visibleTo } from "../../model/visibility.ts"
import { findEitherWay } from "./forget-restore.ts"
import { superseded } from "./link.ts"
import { addedEdge, type ChangeResult, type Changes, changed, removed, runOperation } from "./operation.ts"

/** Two active memories that contradict each other, or of which the newer may replace the older. */
export interface Conflict {
  kind: OpenKind
  at: number
  /** The newer one first. */
  memories: [Memory, Memory]
}

interface ConflictQuery extends ViewerQuery {
  /** Only conflicts of this memory. */
  memory?: string | undefined
  limit: number
}

/** Undecided conflicts, newest first. */
export async function listConflicts(
  core: Pick<MemoryCore, "db" | "projects">,
  { memory, limit, ...query }: ConflictQuery,
): Promise<Conflict[]> {
  const viewer = await viewerFor(core, query)
  const order = sql`order by created_at desc, source, target limit ${limit}`
  const about = memory === undefined ? sql`true` : sql`(source = ${memory} or target = ${memory})`
  const where = sql`${about} and ${openConflict(visibleTo(viewer))}`
  const edges = eachPairOnce(await selectEdges(core.db, where, order))
  const memories = await findMemories(core.db, [
    ...new Set(edges.flatMap(({ source, target }) => [source, target])),
  ])
  return edges.flatMap(({ source, kind, target, createdAt }): Conflict[] => {
    const [a, b] = [memories.get(source), memories.get(target)]
    if (a === undefined || b === undefined || !isOpenKind(kind)) return []
    // The trained model compared the times when they were last said.
    const isInOrder = kind === "may-replace" || a.createdAt >= b.createdAt
    return [{ kind, at: createdAt, memories: isInOrder ? [a, b] : [b, a] }]
  })
}

/** Rules and the trained model may both link a pair: it is one conflict. */
function eachPairOnce(edges: readonly Edge[]): Edge[] {
  const pairs = new Map<string, Edge>()
  for (const edge of edges) {
    const key = [edge.source, edge.target].sort().join(" ")
    if (!pairs.has(key) || edge.kind === "contradicts") pairs.set(key, edge)
  }
  return [...pairs.values()]
}

function isOpenKind(kind: EdgeKind): kind is OpenKind {
  return openKinds.some((one) => one === kind)
}

/** The number of undecided conflicts, whoever may see them. */
export async function countConflicts(on: Reader): Promise<number> {
  const [row] = await on.read<{ open: number }>(
    sql`select count(distinct case when source < target then source || target else target || source end) as open
      from edges where ${openConflict(sql`true`)}`,
  )
  return row?.open ?? 0
}

/** The condition on edges for an undecided conflict; both memories must fulfil `where` on `memories m`. */
function openConflict(where: Sql): Sql {
  const active = (end: Sql) =>
    sql`exists (select 1 from memories m where m.id = ${end} and m.status = 'active' and ${where})`
  return sql`kind in ${sqlList(openKinds)} and ${active(sql`edges.source`)} and ${active(sql`edges.target`)}`
}

interface Decision {
  id: string
  /** The memory it contradicts; optional where there is one only, or where `id` wins over all. */
  other?: string | undefined
  keep: (typeof conflictChoices)[number]
}

/** Decides conflicts of a memory: one side replaces the other, or both stay true. */
export function resolveConflict(needs: Core, decision: Decision, by: By): Promise<ChangeResult> {
  const about = [decision.id, ...(decision.other === undefined ? [] : [decision.other])]
  const kinds = ["memory.superseded", "memory.reconciled"]
  return runOperation(needs, by, { kinds, about }, async (transaction, at) => {
    const memory = await requireMemory(transaction, decision.id)
    const others = await opponents(transaction, memory, decision)
    if (decision.keep === "both") return reconciled(transaction, memory, others, at)
    const changes: Changes = { memories: [], edges: [] }
    for (const other of others) {
      const [winner, loser] = decision.keep === "this" ? [memory, other] : [other, memory]
      changes.memories?.push(superseded(winner.id, loser, at))
      changes.edges?.push(...(await replacedBy(transaction, winner, loser, at)))
    }
    return changes
  })
}

/** The active memories that the decision concerns: one or all that this one contradicts or may replace. */
async function opponents(
  transaction: Transaction,
  memory: Memory,
  { other, keep }: Decision,
): Promise<Memory[]> {
  const edges = await edgesAt(transaction, [memory.id], openKinds)
  const ids = edges.map(({ source, target }) => (source === memory.id ? target : source))
  const known = [...(await findMemories(transaction, [...new Set(ids)])).values()]
  const open = known.filter(({ status }) => status === "active" && memory.status === "active")
  const asked = other === undefined ? undefined : await requireMemory(transaction, other)
  const found = asked ? open.filter(({ id }) => id === asked.id) : open
  if (found.length === 0) {
    const text = asked
      ? `${memory.id} and ${asked.id} do not contradict each other`
      : `${memory.id} is in no conflict`
    throw new UserError("not-found", `${text}; \`reverie memory conflicts\` lists what is open.`)
  }
  if (keep === "other" && found.length > 1) {
    throw new UserError("usage", `${memory.id} contradicts several memories; name the one to keep.`)
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The edges after the winner replaced the loser; they no longer contradict each other. */
export async function replacedBy(transaction: Transaction, winner: Memory, loser: Memory, at: number) {
  const open = await openEdgesBetween(transaction, winner.id, loser.id)
  return [...removed(open), addedEdge(winner.id, "supersedes", loser.id, at)]
}

/** Both stay true: they become related, and each names the other, so that they are not linked as a conflict again. */
async function reconciled(
  transaction: Transaction,
  memory: Memory,
  others: readonly Memory[],
  at: number,
): Promise<Changes> {
  const edges: Changes["edges"] = []
  for (const other of others) {
    edges.push(...removed(await openEdgesBetween(transaction, memory.id, other.id)))
    const related = await findEitherWay(transaction, memory.id, "relates-to", other.id)
    if (related === undefined) edges.push(addedEdge(memory.id, "relates-to", other.id, at))
  }
  const pairs = [memory, ...others].map((before) => {
    const partners = before === memory ? others : [memory]
    const after = changed(before, at, { details: compatible(before, partners) })
    return { kind: "memory.reconciled" as const, before, after }
  })
  return { memories: pairs, edges }
}

function compatible({ details }: Memory, others: readonly Memory[]) {
  const ids = [...(details.compatibleWith ?? []), ...others.map(({ id }) => id)]
  return normalizeDetails({ ...details, compatibleWith: [...new Set(ids)].sort() })
}
