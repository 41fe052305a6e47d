import { messageOf } from "../../../base/errors.ts"
import { type Judgement, judgementOf, type PairRelation } from "../../../judgement/judgement.ts"
import type { Memory } from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { isStatedLater } from "./decide.ts"
import type { SimilarMemory } from "./similar-memories.ts"

/** A memory, and those similar to it. */
interface ComparedMemory {
  memory: Memory
  similar: readonly SimilarMemory[]
}

/** The trained model's answers about pairs of memories. */
export interface JudgedPairs {
  version: string
  thresholds: Judgement["thresholds"]
  /** The probability of each relation between the older and the newer of two; undefined if it was not asked. */
  of(memory: Memory, known: Memory): Record<PairRelation, number> | undefined
}

/** At most this many similar memories are judged for each. */
const mostPairs = 5
/** Longer texts are not single statements. */
const longestJudged = 600

/**
 * Asks the trained model about similar memories that rules do not call the same. This takes milliseconds, so it happens
 * before the transaction. Undefined without a model or if it fails: then rules decide alone.
 */
export async function judgePairs(
  { embedder, log }: Pick<MemoryCore, "embedder" | "log">,
  compared: readonly ComparedMemory[],
): Promise<JudgedPairs | undefined> {
  const judgement = judgementOf(embedder)
  if (judgement === undefined) return undefined
  const asked = compared.flatMap(({ memory, similar }) =>
    memory.content.length > longestJudged
      ? []
      : worthAsking(similar, judgement.thresholds.compared).map((known) => ({ memory, known })),
  )
  try {
    const answers = await judgement.relates(
      asked.map(({ memory, known }) => inOrder(memory, known)),
      { urgent: compared.length === 1 },
    )
    const found = new Map(asked.map(({ memory, known }, index) => [keyOf(memory, known), answers[index]]))
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
        likeness(one) >= least && one.relation.kind !== "same" && one.memory.content.length <= longestJudged,
    )
    .toSorted((a, b) => likeness(b) - likeness(a))
    .slice(0, mostPairs)
    .map(({ memory }) => memory)
}

function inOrder(memory: Memory, known: Memory): { older: string; newer: string } {
  return isStatedLater(memory, known)
    ? { older: known.content, newer: memory.content }
    : { older: memory.content, newer: known.content }
}
