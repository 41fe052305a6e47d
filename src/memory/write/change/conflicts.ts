import { UserError } from "../../../base/errors.ts"
import type { Core } from "../../../storage/core.ts"
import type { Database } from "../../../storage/database.ts"
import type { By } from "../../../storage/journal.ts"
import { type Sql, sql, sqlList } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import type { keeps } from "../../model/kinds.ts"
import { type Memory, tidyDetails } from "../../model/memory.ts"
import { findProjects, type ProjectFinder } from "../../model/project.ts"
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
import { visibleTo } from "../../model/visibility.ts"
import { findEitherWay } from "./forget-restore.ts"
import { superseded } from "./link.ts"
import { act, type Changed, type Changes, changed } from "./operation.ts"

/** Two active memories that cannot both be true, as far as is known; or of which the newer may replace the older. */
export interface Conflict {
  kind: OpenKind
  /** Since when it is known. */
  at: number
  /** The newer one first. */
  memories: [Memory, Memory]
}

interface ConflictQuery {
  project?: string | undefined
  allProjects?: boolean | undefined
  session?: string | undefined
  /** Only those that this memory is one side of. */
  memory?: string | undefined
  limit: number
}

/** The conflicts that nobody has decided yet, newest first. */
export async function listConflicts(
  { db, projects }: { db: Database; projects: ProjectFinder },
  query: ConflictQuery,
): Promise<Conflict[]> {
  const known = query.project ? await findProjects(db, await projects.find(query.project)) : []
  const viewer = { projects: known, session: query.session, allProjects: query.allProjects }
  const order = sql`order by created_at desc, source, target limit ${query.limit}`
  const { memory } = query
  const about = memory === undefined ? sql`true` : sql`(source = ${memory} or target = ${memory})`
  const where = sql`${about} and ${openConflict(visibleTo(viewer))}`
  const edges = eachPairOnce(await selectEdges(db, where, order))
  const memories = await findMemories(db, [
    ...new Set(edges.flatMap(({ source, target }) => [source, target])),
  ])
  return edges.flatMap(({ source, kind, target, createdAt }): Conflict[] => {
    const [a, b] = [memories.get(source), memories.get(target)]
    if (a === undefined || b === undefined || !isOpenKind(kind)) return []
    // The model judged which is newer from when they were said last.
    const isInOrder = kind === "may-replace" || a.createdAt >= b.createdAt
    return [{ kind, at: createdAt, memories: isInOrder ? [a, b] : [b, a] }]
  })
}

/** A pair that rules and the trained model both hold against each other is one question. */
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

/** How many conflicts are open, whoever may see them. */
export async function countConflicts(on: Reader): Promise<number> {
  const [row] = await on.read<{ open: number }>(
    sql`select count(distinct case when source < target then source || target else target || source end) as open
      from edges where ${openConflict(sql`true`)}`,
  )
  return row?.open ?? 0
}

/** The condition on edges for a conflict between two active memories that fulfil another on `memories m`. */
function openConflict(where: Sql): Sql {
  const active = (end: Sql) =>
    sql`exists (select 1 from memories m where m.id = ${end} and m.status = 'active' and ${where})`
  return sql`kind in ${sqlList(openKinds)} and ${active(sql`edges.source`)} and ${active(sql`edges.target`)}`
}

interface Decision {
  id: string
  /** The memory it contradicts; may be left out where there is one only, or where `id` wins over all. */
  other?: string | undefined
  keep: (typeof keeps)[number]
}

/** Decides conflicts of a memory: one side is replaced by the other, or both are said to hold. */
export function resolveConflict(needs: Core, decision: Decision, by: By): Promise<Changed> {
  const about = [decision.id, ...(decision.other === undefined ? [] : [decision.other])]
  const kinds = ["memory.superseded", "memory.reconciled"]
  return act(needs, by, { kinds, about }, async (transaction, at) => {
    const memory = await requireMemory(transaction, decision.id)
    const others = await opponents(transaction, memory, decision)
    if (decision.keep === "both") return reconciled(transaction, memory, others, at)
    const changes: Changes = { memories: [], edges: [] }
    for (const other of others) {
      const [winner, loser] = decision.keep === "this" ? [memory, other] : [other, memory]
      changes.memories?.push(...(superseded(winner, loser, at).memories ?? []))
      changes.edges?.push(...(await replacedBy(transaction, winner, loser, at)))
    }
    return changes
  })
}

/** The active memories that this one contradicts or may replace, of which the decision is about one or all. */
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

/** The winner replaces the loser; they no longer contradict each other. */
export async function replacedBy(transaction: Transaction, winner: Memory, loser: Memory, at: number) {
  const known = await openEdgesBetween(transaction, winner.id, loser.id)
  const edge: Edge = { source: winner.id, kind: "supersedes", target: loser.id, weight: 1, createdAt: at }
  return [...known.map((before) => ({ before, after: null })), { before: null, after: edge }]
}

/** Both hold: they are related instead, and each names the other, so that they are not held against each other again. */
async function reconciled(
  transaction: Transaction,
  memory: Memory,
  others: readonly Memory[],
  at: number,
): Promise<Changes> {
  const edges: Changes["edges"] = []
  for (const other of others) {
    const known = await openEdgesBetween(transaction, memory.id, other.id)
    edges.push(...known.map((before) => ({ before, after: null })))
    const related = await findEitherWay(transaction, memory.id, "relates-to", other.id)
    const edge: Edge = { source: memory.id, kind: "relates-to", target: other.id, weight: 1, createdAt: at }
    if (related === undefined) edges.push({ before: null, after: edge })
  }
  const pairs = [memory, ...others].map((before) => {
    const beside = before === memory ? others : [memory]
    const after = changed(before, at, { details: compatible(before, beside) })
    return { kind: "memory.reconciled" as const, before, after }
  })
  return { memories: pairs, edges }
}

function compatible({ details }: Memory, others: readonly Memory[]) {
  const ids = [...(details.compatibleWith ?? []), ...others.map(({ id }) => id)]
  return tidyDetails({ ...details, compatibleWith: [...new Set(ids)].sort() })
}
