import { UserError } from "../../../base/errors.ts"
import type { Database } from "../../../storage/database.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { findSimilarTo, isSameScope, type SimilarMemory } from "../../find/similar-memories.ts"
import type { Memory } from "../../model/memory.ts"
import { openEdgesBetween } from "../../model/store/graph.ts"
import { findMemories } from "../../model/store/store.ts"
import { decideEdited } from "../compare/decide.ts"
import { replacedBy } from "./conflicts.ts"
import { superseded } from "./link.ts"
import type { Changes, EdgeImages } from "./operation.ts"

/** What a memory's new text repeats or opposes, as far as the words tell; what does not stand is not compared. */
export async function similarToEdited(db: Database, memory: Memory): Promise<SimilarMemory[]> {
  if (memory.status !== "active" && memory.status !== "quarantined") return []
  const similar = await findSimilarTo({ db, model: undefined }, { memory, vector: undefined })
  return similar.filter((one) => one.memory.id !== memory.id && one.relation.kind !== "differs")
}

/**
 * What follows for others from a memory's new text: it replaces what it plainly opposes, and is linked as a
 * conflict with what it may oppose. A text that is there already is refused, since two memories would say one thing.
 */
export async function settleEdited(
  transaction: Transaction,
  memory: Memory,
  similar: readonly SimilarMemory[],
  at: number,
  /** Whether it may replace others; otherwise what it opposes is linked as a conflict. */
  mayReplace = true,
): Promise<Required<Changes>> {
  const decided = decideEdited(memory, await standingNow(transaction, memory, similar), at)
  const { same } = decided
  const supersedes = mayReplace ? decided.supersedes : []
  const conflicts = mayReplace ? decided.conflicts : [...decided.supersedes, ...decided.conflicts]
  if (same) {
    const advice = `forget ${memory.id} instead, or give it a text of its own`
    throw new UserError("conflict", `${same.id} says the same already; ${advice}.`)
  }
  const edges: EdgeImages[] = []
  for (const other of supersedes) edges.push(...(await replacedBy(transaction, memory, other, at)))
  for (const other of conflicts) {
    if ((await openEdgesBetween(transaction, memory.id, other.id)).length > 0) continue
    const edge = { source: memory.id, kind: "contradicts" as const, target: other.id, weight: 1 }
    edges.push({ before: null, after: { ...edge, createdAt: at } })
  }
  return { memories: supersedes.flatMap((other) => superseded(memory, other, at).memories ?? []), edges }
}

/** The similar memory as it is at this moment: others may have acted since it was read. */
async function standingNow(
  transaction: Transaction,
  memory: Memory,
  similar: readonly SimilarMemory[],
): Promise<SimilarMemory[]> {
  const now = await findMemories(
    transaction,
    similar.map((one) => one.memory.id),
  )
  return similar.flatMap((one) => {
    const other = now.get(one.memory.id)
    const isStill = other?.content === one.memory.content && other.status === one.memory.status
    return other && isStill && isSameScope(other, memory) ? [{ ...one, memory: other }] : []
  })
}
