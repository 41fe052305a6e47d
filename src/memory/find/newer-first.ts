import { dot } from "../../base/vector.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { lastStatedAt, type Memory } from "../model/memory.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { batchesOf } from "../model/store/batch.ts"
import { type Edge, openKinds, selectEdges } from "../model/store/graph.ts"

/** A hit as far as its order among others needs it. */
export interface OrderedHit {
  memory: Memory
  /** How likely it belongs to the answer, 0 to 1; falls down the list. */
  score: number
  /** Whether it is likely enough to show without being asked. Sure hits come first. */
  sure: boolean
  /** The id of a newer hit that contradicts it; the conflict is undecided. */
  older?: string
  /** Only the trained model considers the newer one an update. */
  suspected?: true
}

/** Two notes on one subject that were stated within this time belong together. */
const togetherMs = 60 * 60 * 1000
/** A hit with less than this share of another one's score does not answer the same query. */
const minShare = 0.2

/**
 * Of two notes on one subject that fit the query about equally, ranks the later one first: it is more likely to be still
 * true. Neither is marked as older. Messages of conversations keep their order.
 */
export async function rankLaterNotesFirst<Hit extends OrderedHit>(
  { db, embedder }: Pick<MemoryCore, "db" | "embedder">,
  hits: readonly Hit[],
  notes: ReadonlySet<string>,
): Promise<Hit[]> {
  const ids = hits.map(({ memory }) => memory.id).filter((id) => notes.has(id))
  if (ids.length < 2 || embedder === undefined) return [...hits]
  const where = sql`m.id in ${sqlList(ids)}`
  const stored = await db.search.vectorsOf({ model: embedder.model, where, after: 0, limit: ids.length })
  const vectors = new Map(stored.map(({ id, vector }) => [id, vector]))
  const { related, unrelated } = embedder.similarity
  const isUpdate = (later: Hit, earlier: Hit) => {
    const [a, b] = [later, earlier].map(({ memory }) => vectors.get(memory.id))
    if (a === undefined || b === undefined) return false
    if (lastStatedAt(later.memory) - lastStatedAt(earlier.memory) < togetherMs) return false
    return later.score >= minShare * earlier.score && dot(a, b) >= (related + unrelated) / 2
  }
  const ranked: Hit[] = []
  for (const hit of hits) {
    const at = ranked.findIndex((before) => isUpdate(hit, before))
    const before = ranked[at]
    if (before === undefined) ranked.push(hit)
    else ranked.splice(at, 0, { ...hit, score: before.score, sure: before.sure })
  }
  return ranked
}

/** Of two hits with an undecided conflict, ranks the newer one first and marks the other as older. */
export async function rankNewerFirst<Hit extends OrderedHit>(
  on: Reader,
  hits: readonly Hit[],
): Promise<Hit[]> {
  if (hits.length < 2) return [...hits]
  const ids = sqlList(hits.map(({ memory }) => memory.id))
  const isOpen = sql`kind in ${sqlList(openKinds)} and source in ${ids} and target in ${ids}`
  let ranked = [...hits]
  for (const edge of await selectEdges(on, isOpen, sql`order by created_at, source`))
    ranked = applyEdge(ranked, edge)
  return ranked
}

function applyEdge<Hit extends OrderedHit>(hits: Hit[], { source, kind, target }: Edge): Hit[] {
  const pair = [source, target]
    .map((id) => hits.findIndex(({ memory }) => memory.id === id))
    .sort((a, b) => a - b)
  const [first, second] = pair.map((index) => hits[index])
  if (first === undefined || second === undefined) return hits
  const isSuspected = kind === "may-replace"
  const isFirstNewer = isSuspected
    ? first.memory.id === source
    : first.memory.createdAt >= second.memory.createdAt
  const [newer, older] = isFirstNewer ? [first, second] : [second, first]
  const marked = { ...older, older: newer.memory.id, ...(isSuspected ? { suspected: true as const } : {}) }
  // They are about the same subject: if one belongs to the answer, so does the other.
  const raised = { ...newer, score: first.score, sure: first.sure }
  return hits.flatMap((hit) => {
    if (hit === first) return newer === first ? [raised] : [raised, marked]
    if (hit === second) return newer === first ? [marked] : []
    return [hit]
  })
}

/** Maps memories to the latest active memory that the trained model considers an update of them. */
export async function findSuspectedUpdates(on: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  const newer = new Map<string, string>()
  for (const some of batchesOf(ids)) {
    const edges = await selectEdges(
      on,
      sql`kind = 'may-replace' and target in ${sqlList(some)}
        and exists (select 1 from memories m where m.id = edges.source and m.status = 'active')`,
      sql`order by created_at, source`,
    )
    for (const { source, target } of edges) newer.set(target, source)
  }
  return newer
}
