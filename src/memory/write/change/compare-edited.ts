import { UserError } from "../../../base/errors.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import type { Memory } from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { isSameScope } from "../../model/scope.ts"
import { openEdgesBetween } from "../../model/store/graph.ts"
import { findMemories } from "../../model/store/store.ts"
import { decideEdited } from "../compare/decide.ts"
import { type JudgedPairs, judgePairs } from "../compare/judge-pairs.ts"
import { findSimilarTo, type SimilarMemory } from "../compare/similar-memories.ts"
import { embedSoon } from "../embed-texts.ts"
import { replacedBy } from "./conflicts.ts"
import { areCompatible } from "./forget-restore.ts"
import { superseded } from "./link.ts"
import type { Changes, EdgeImages } from "./operation.ts"

/** What a memory's new text may have to do with, as far as the words tell and as the trained model sees it. */
export interface ComparedText {
  similar: SimilarMemory[]
  /** Undefined where the trained model was not asked. */
  judged?: JudgedPairs | undefined
}

/**
 * Compares a memory's new text with others, by words; where somebody said it anew and a trained model is there, also by
 * meaning, as when something is remembered. What does not stand is not compared.
 */
export async function compareEdited(
  needs: MemoryCore,
  memory: Memory,
  isSaidAnew: boolean,
): Promise<ComparedText> {
  if (memory.status !== "active" && memory.status !== "quarantined") return { similar: [] }
  const { db, embedder, clock } = needs
  const others = (found: readonly SimilarMemory[]) => found.filter((one) => one.memory.id !== memory.id)
  const judging = isSaidAnew && embedder?.judge !== undefined ? embedder : undefined
  const [embedded] = judging ? await embedSoon(needs, [memory.content]) : []
  if (judging === undefined || embedded === undefined)
    return { similar: others(await findSimilarTo({ db, model: undefined }, { memory, vector: undefined })) }
  const model = {
    name: judging.model,
    related: judging.similarity.related,
    asked: judging.judge?.card.thresholds.compared,
  }
  const similar = others(await findSimilarTo({ db, model }, { memory, vector: embedded.vector }))
  const said = { ...memory, createdAt: clock.now() }
  const judged = await judgePairs(needs, [{ memory: said, similar }])
  return { similar: similar.map((one) => ({ ...one, judged: judged?.of(said, one.memory) })), judged }
}

/**
 * What follows for others from a memory's new text: it replaces what it plainly opposes, is linked as a conflict with
 * what it may oppose, and as a possible update with what the trained model takes for an older state of the same. A text
 * that is there already is refused, since two memories would say one thing.
 */
export async function settleEdited(
  transaction: Transaction,
  memory: Memory,
  { similar, judged }: ComparedText,
  at: number,
  /** Whether it may replace others; otherwise what it opposes is linked as a conflict. */
  mayReplace: boolean,
): Promise<Required<Changes>> {
  const standing = await standingNow(transaction, memory, similar)
  const decided = decideEdited(memory, standing, at, judged?.thresholds)
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
  for (const { memory: other, weight } of decided.suspects) {
    if (areCompatible(memory, other)) continue
    const open = await openEdgesBetween(transaction, memory.id, other.id)
    // What the other was taken for an update of is no longer said.
    const isTurned =
      mayReplace && open.every(({ kind, source }) => kind === "may-replace" && source === other.id)
    if (open.length > 0 && !isTurned) continue
    edges.push(...open.map((before) => ({ before, after: null })))
    const edge = { source: memory.id, kind: "may-replace" as const, target: other.id, weight }
    edges.push({ before: null, after: { ...edge, createdAt: at }, judge: judged?.version })
  }
  return { memories: supersedes.flatMap((other) => superseded(memory, other, at).memories ?? []), edges }
}

/** The ids of what a memory may replace, of the links that an act made. */
export function mayReplaceIn(edges: readonly EdgeImages[]): string[] {
  return edges.flatMap(({ before, after }) =>
    before === null && after?.kind === "may-replace" ? [after.target] : [],
  )
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
