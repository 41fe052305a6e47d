import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
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
