import { UserError } from "../../../base/errors.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import type { Memory } from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { isSameScope } from "../../model/scope.ts"
import { openEdgesBetween } from "../../model/store/graph.ts"
import { findMemories } from "../../model/store/store.ts"
import { decideEdited } from "../compare/decide.ts"
import { type JudgedPairs, judgePairs } from "../compare/judge-pairs.ts"
import { comparisonModel, findSimilarTo, type SimilarMemory } from "../compare/similar-memories.ts"
import { embedSoon } from "../embed-texts.ts"
import { replacedBy } from "./conflicts.ts"
import { areCompatible } from "./forget-restore.ts"
import { superseded } from "./link.ts"
import { addedEdge, type Changes, type EdgeImages, removed } from "./operation.ts"

/** The memories similar to an edited text, and the trained model's answers about them. */
export interface ComparedText {
  similar: SimilarMemory[]
  /** Undefined where the trained model was not asked. */
  judged?: JudgedPairs | undefined
}

/**
 * Compares a memory's new text with others by words. A text that a user or agent restated is also compared by meaning, if
 * there is a trained model. Hidden memories are not compared.
 */
export async function compareEdited(
  needs: MemoryCore,
  memory: Memory,
  isRestated: boolean,
): Promise<ComparedText> {
  if (memory.status !== "active" && memory.status !== "quarantined") return { similar: [] }
  const { db, embedder, clock } = needs
  const others = (found: readonly SimilarMemory[]) => found.filter((one) => one.memory.id !== memory.id)
  const judging = isRestated && embedder?.judge !== undefined ? embedder : undefined
  const [embedded] = judging ? await embedSoon(needs, [memory.content]) : []
  if (judging === undefined || embedded === undefined)
    return { similar: others(await findSimilarTo({ db, model: undefined }, { memory, vector: undefined })) }
  const model = comparisonModel(judging)
  const similar = others(await findSimilarTo({ db, model }, { memory, vector: embedded.vector }))
  const restated = { ...memory, createdAt: clock.now() }
  const judged = await judgePairs(needs, [{ memory: restated, similar }])
  return { similar: similar.map((one) => ({ ...one, judged: judged?.of(restated, one.memory) })), judged }
}

/**
 * The changes to others after a memory's text was edited: it replaces what it clearly opposes, conflicts with what it may
 * oppose, and may replace what the trained model takes for an older state of the same. A duplicate text is refused.
 */
export async function settleEdited(
  transaction: Transaction,
  memory: Memory,
  { similar, judged }: ComparedText,
  at: number,
  /** Whether it may replace others; otherwise what it opposes is linked as a conflict. */
  mayReplace: boolean,
): Promise<Required<Changes>> {
  const current = await currentMemories(transaction, memory, similar)
  const decided = decideEdited(memory, current, at, judged?.thresholds)
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
    edges.push(addedEdge(memory.id, "contradicts", other.id, at))
  }
  for (const { memory: other, weight } of decided.possibleUpdates) {
    if (areCompatible(memory, other)) continue
    const open = await openEdgesBetween(transaction, memory.id, other.id)
    // The other may have been an update of the old text, which is gone.
    const isReversed =
      mayReplace && open.every(({ kind, source }) => kind === "may-replace" && source === other.id)
    if (open.length > 0 && !isReversed) continue
    edges.push(...removed(open))
    edges.push({ ...addedEdge(memory.id, "may-replace", other.id, at, weight), judge: judged?.version })
  }
  return { memories: supersedes.map((other) => superseded(memory.id, other, at)), edges }
}

/** The targets of new may-replace edges. */
export function mayReplaceIn(edges: readonly EdgeImages[]): string[] {
  return edges.flatMap(({ before, after }) =>
    before === null && after?.kind === "may-replace" ? [after.target] : [],
  )
}

/** The similar memories that did not change since they were read. */
async function currentMemories(
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
