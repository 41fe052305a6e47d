import { dot } from "../../base/vector.ts"
import type { Embedder } from "../../embedding/embedder.ts"
import type { Database } from "../../storage/database.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { lastSaid, type Memory } from "../model/memory.ts"
import { batchesOf } from "../model/store/batch.ts"
import { type Edge, openKinds, selectEdges } from "../model/store/graph.ts"

/** What is needed of a hit to rank it. */
interface Ranked {
  memory: Memory
  score: number
  sure: boolean
  /** The id of a newer memory that says otherwise; nobody has decided between them yet. */
  older?: string
  /** Only the trained model takes the newer one for an update. */
  suspected?: true
}

/** Two notes on one subject that were made sooner after each other than this belong together. */
const togetherMs = 60 * 60 * 1000
/** A hit that is less likely than this share of another one is not what was asked for. */
const leastShare = 0.2

/**
 * Where a question does not tell two notes on one subject apart, the one said later stands first: it is more likely to
 * hold still. Nothing is marked, since both may. Messages of a conversation tell what happened, and stay as they are.
 */
export async function laterFirst<Hit extends Ranked>(
  { db, embedder }: { db: Database; embedder: Embedder | undefined },
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
    if (lastSaid(later.memory) - lastSaid(earlier.memory) < togetherMs) return false
    return later.score >= leastShare * earlier.score && dot(a, b) >= (related + unrelated) / 2
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

/** Where two hits leave a question open, the newer stands first and the other is marked as the older. */
export async function newerFirst<Hit extends Ranked>(on: Reader, hits: readonly Hit[]): Promise<Hit[]> {
  if (hits.length < 2) return [...hits]
  const ids = sqlList(hits.map(({ memory }) => memory.id))
  const isOpen = sql`kind in ${sqlList(openKinds)} and source in ${ids} and target in ${ids}`
  let ranked = [...hits]
  for (const edge of await selectEdges(on, isOpen, sql`order by created_at, source`))
    ranked = separated(ranked, edge)
  return ranked
}

function separated<Hit extends Ranked>(hits: Hit[], { source, kind, target }: Edge): Hit[] {
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
  // They are about the same: where one belongs to the answer, so does the other.
  const raised = { ...newer, score: first.score, sure: first.sure }
  return hits.flatMap((hit) => {
    if (hit === first) return newer === first ? [raised] : [raised, marked]
    if (hit === second) return newer === first ? [marked] : []
    return [hit]
  })
}

/** For memories that newer, active ones may replace: which, the latest of them. */
export async function suspectedNewer(on: Reader, ids: readonly string[]): Promise<Map<string, string>> {
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
