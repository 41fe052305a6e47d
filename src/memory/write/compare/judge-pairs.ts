import { messageOf } from "../../../base/errors.ts"
import { type Judgement, judgementOf, type PairRelation } from "../../../judgement/judgement.ts"
import type { Memory } from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { isSaidLast } from "./decide.ts"
import type { SimilarMemory } from "./similar-memories.ts"

/** A memory, and those it may have to do with. */
interface ToCompare {
  memory: Memory
  similar: readonly SimilarMemory[]
}

/** What the trained model said of pairs of memories. */
export interface JudgedPairs {
  version: string
  thresholds: Judgement["thresholds"]
  /** How sure it is of each relation between the older and the newer of two; undefined if it was not asked. */
  of(memory: Memory, known: Memory): Record<PairRelation, number> | undefined
}

/** So many of the memories most like one are looked at by the model. */
const mostAsked = 5
/** Longer texts are no single statements. */
const longestAsked = 600

/**
 * Asks the trained model about memories and those most like them, where rules do not call them the same. It takes
 * milliseconds, so it is asked before anything is written. Undefined where there is no such model, or it fails: then
 * rules decide alone.
 */
export async function judgePairs(
  { embedder, log }: Pick<MemoryCore, "embedder" | "log">,
  compared: readonly ToCompare[],
): Promise<JudgedPairs | undefined> {
  const judgement = judgementOf(embedder)
  if (judgement === undefined) return undefined
  const asked = compared.flatMap(({ memory, similar }) =>
    memory.content.length > longestAsked
      ? []
      : worthAsking(similar, judgement.thresholds.compared).map((known) => ({ memory, known })),
  )
  try {
    const said = await judgement.relates(
      asked.map(({ memory, known }) => inOrder(memory, known)),
      { urgent: compared.length === 1 },
    )
    const found = new Map(asked.map(({ memory, known }, index) => [keyOf(memory, known), said[index]]))
    const { version, thresholds } = judgement
    return { version, thresholds, of: (memory, known) => found.get(keyOf(memory, known)) }
  } catch (error) {
    log.warn("The trained model could not judge memories; rules decide alone", { reason: messageOf(error) })
    return undefined
  }
}

function keyOf(memory: Memory, known: Memory): string {
  return `${memory.id} ${known.id}`
}

function worthAsking(similar: readonly SimilarMemory[], least: number): Memory[] {
  const likeness = ({ similarity, faint }: SimilarMemory) => similarity ?? faint ?? 0
  return similar
    .filter(
      (one) =>
        likeness(one) >= least && one.relation.kind !== "same" && one.memory.content.length <= longestAsked,
    )
    .toSorted((a, b) => likeness(b) - likeness(a))
    .slice(0, mostAsked)
    .map(({ memory }) => memory)
}

function inOrder(memory: Memory, known: Memory): { older: string; newer: string } {
  return isSaidLast(memory, known)
    ? { older: known.content, newer: memory.content }
    : { older: memory.content, newer: known.content }
}
