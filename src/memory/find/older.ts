import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import { selectEdges } from "../model/store/graph.ts"

/** What is needed of a hit to put it in its place. */
interface Placed {
  memory: Memory
  score: number
  sure: boolean
  /** The id of a newer memory that says otherwise; nobody has decided between them yet. */
  older?: string
}

/** Where two hits are in open conflict, the newer stands first and the other is marked as the older. */
export async function newerFirst<Hit extends Placed>(on: Reader, hits: readonly Hit[]): Promise<Hit[]> {
  if (hits.length < 2) return [...hits]
  const ids = sqlList(hits.map(({ memory }) => memory.id))
  const edges = await selectEdges(on, sql`kind = 'contradicts' and source in ${ids} and target in ${ids}`)
  let placed = [...hits]
  for (const { source, target } of edges) placed = separated(placed, source, target)
  return placed
}

function separated<Hit extends Placed>(hits: Hit[], one: string, other: string): Hit[] {
  const pair = [one, other]
    .map((id) => hits.findIndex(({ memory }) => memory.id === id))
    .sort((a, b) => a - b)
  const [first, second] = pair.map((index) => hits[index])
  if (first === undefined || second === undefined) return hits
  const [newer, older] = first.memory.createdAt >= second.memory.createdAt ? [first, second] : [second, first]
  const marked = { ...older, older: newer.memory.id }
  // They are about the same: where one belongs to the answer, so does the other.
  const raised = { ...newer, score: first.score, sure: first.sure }
  return hits.flatMap((hit) => {
    if (hit === first) return newer === first ? [raised] : [raised, marked]
    if (hit === second) return newer === first ? [marked] : []
    return [hit]
  })
}
