import type { Judgement } from "../../../judgement/judgement.ts"
import { agreeInDetail } from "../../../language/compare/agreement.ts"
import { canBothBeTrue, isDialogueLine } from "../../../language/compare/compatibility.ts"
import { describeOpposition } from "../../../language/compare/relation.ts"
import { isReplacement } from "../../../language/compare/replacement.ts"
import { termsOf } from "../../../language/terms.ts"
import { isAgentNote, isFromUser } from "../../model/agents/agents.ts"
import { lastStatedAt, type Memory } from "../../model/memory.ts"
import { isNote } from "../../model/note.ts"
import type { SimilarMemory } from "./similar-memories.ts"

/** What to do with a new memory. */
export type Decision =
  /** It repeats a known memory, which is reinforced, and replaces what both together outweigh. */
  | { kind: "reinforce"; known: Memory; supersedes: Memory[]; reason: string | undefined }
  /** It is saved, with what it replaces, what replaces it, what it conflicts with and what it is similar to. */
  | {
      kind: "save"
      supersedes: Memory[]
      supersededBy: Memory | undefined
      conflicts: Memory[]
      /** Memories that, by the trained model alone, are an older or newer state of the same. */
      possibleUpdates: PossibleUpdate[]
      related: { memory: Memory; weight: number }[]
      /** What contradicts what, as one sentence. */
      reason: string | undefined
    }

/** A memory that the new one may replace, or that may have replaced it. */
export interface PossibleUpdate {
  memory: Memory
  isNewer: boolean
  /** The trained model's probability. */
  weight: number
}

/** The similarities from which two memories are duplicates, or are linked. */
export interface Thresholds {
  duplicate: number
  linked: number
  /** The probabilities from which the trained model counts; undefined without one. */
  judged?: Pick<Judgement["thresholds"], "update" | "duplicate"> | undefined
}

const mostLinks = 3

/**
 * Decides from the similar memories. A contradicting memory is never merged. Of two that contradict each other the
 * user's correction wins, then the more trusted, then the more recent one. Both stay as a conflict where the known one
 * is more trusted, where neither clearly replaces the other, or where both are from one file of notes. A quarantined
 * memory replaces no active one, and an earlier statement no later one. The trained model settles a doubt only where it
 * agrees with the rules; alone it only proposes updates.
 */
export function decide(memory: Memory, similar: readonly SimilarMemory[], thresholds: Thresholds): Decision {
  const opposed = similar.filter((one) => isOpposed(memory, one))
  const verdicts = opposed.map((one) => ({ ...one, wins: winner(one, memory, thresholds) }))
  const supersedes = verdicts.filter(({ wins }) => wins === "new").map((one) => one.memory)
  const [first] = opposed
  const reason =
    first?.relation.kind === "contradicts" ? describeOpposition(first.relation.reason) : undefined
  const same = sameAs(memory, similar, thresholds)
  if (same) return { kind: "reinforce", known: same, supersedes, reason }
  return {
    kind: "save",
    supersedes,
    supersededBy: verdicts.find(({ wins }) => wins === "known")?.memory,
    conflicts: verdicts.filter(({ wins }) => wins === "neither").map((one) => one.memory),
    possibleUpdates: similar.flatMap((one) => possibleUpdate(memory, one, thresholds)),
    related: related(
      similar.filter((one) => !opposed.includes(one)),
      thresholds,
    ),
    reason,
  }
}

/**
 * Decides the effects of an edited text, stated now. Unlike a new correction, it replaces other memories only where it
 * clearly does.
 */
export function decideEdited(
  memory: Memory,
  similar: readonly SimilarMemory[],
  at: number,
  judged?: Thresholds["judged"],
) {
  const restated = { ...memory, createdAt: at }
  const thresholds = { duplicate: 0, linked: 1, judged }
  const opposed = similar.filter(
    ({ memory: known, relation }) =>
      relation.kind === "contradicts" && !canBothBeTrue(known.content, memory.content, relation.reason),
  )
  const isSettled = (one: SimilarMemory) =>
    isClearReplacement(one, restated, "new") || isConfirmedByModel(one, restated, thresholds)
  const wins = opposed.filter((one) => stronger(one.memory, restated) === "new" && isSettled(one))
  return {
    same: sameAs(
      memory,
      similar.filter((one) => one.memory.status === "active"),
      thresholds,
    ),
    supersedes: wins.map((one) => one.memory),
    conflicts: opposed.filter((one) => !wins.includes(one)).map((one) => one.memory),
    possibleUpdates: similar
      .flatMap((one) => possibleUpdate(restated, one, thresholds))
      .filter((one) => !one.isNewer),
  }
}

/** Whether only one of the two can be true; a user's correction always means that. */
function isOpposed(memory: Memory, { memory: known, relation }: SimilarMemory): boolean {
  if (relation.kind !== "contradicts") return false
  return memory.source === "user-corrected" || !canBothBeTrue(known.content, memory.content, relation.reason)
}

/** The memory that says the same: by its words and its similarity, or by the trained model if no detail differs. */
function sameAs(
  memory: Memory,
  similar: readonly SimilarMemory[],
  { duplicate, judged }: Pick<Thresholds, "duplicate" | "judged">,
): Memory | undefined {
  const isSame = (one: SimilarMemory) =>
    one.relation.kind === "same"
      ? one.similarity === undefined || one.similarity >= duplicate
      : isParaphrase(memory, one, judged)
  const same = similar.filter(
    (one) => one.memory.type === memory.type && one.memory.audience === memory.audience && isSame(one),
  )
  const activeFirst = (one: SimilarMemory) => (one.memory.status === "active" ? 1 : 0)
  const likeness = (one: SimilarMemory) => one.similarity ?? 1
  return same.sort((a, b) => activeFirst(b) - activeFirst(a) || likeness(b) - likeness(a))[0]?.memory
}

function isParaphrase(memory: Memory, one: SimilarMemory, judged: Thresholds["judged"]): boolean {
  if (one.relation.kind !== "differs" || one.judged === undefined || judged === undefined) return false
  return one.judged.duplicate >= judged.duplicate && agreeInDetail(one.memory.content, memory.content)
}

/**
 * An update by the trained model alone. An agent's note is never an update of the user's memory, nor one line of a
 * dialogue of another.
 */
function possibleUpdate(memory: Memory, one: SimilarMemory, { judged }: Thresholds): PossibleUpdate[] {
  const { memory: known, relation, judged: answer } = one
  if (relation.kind !== "differs" || relation.reason !== undefined) return []
  if (judged === undefined || answer === undefined || answer.update < judged.update) return []
  if (areFromOneFile(known, memory) || (isDialogueLine(known.content) && isDialogueLine(memory.content)))
    return []
  const isNewer = !isStatedLater(memory, known)
  const [newer, older] = isNewer ? [known, memory] : [memory, known]
  if (isAgentNote(newer) && isFromUser(older)) return []
  return [{ memory: known, isNewer, weight: Math.round(answer.update * 1000) / 1000 }]
}

/** Whether a new memory was stated after a known one was last stated. */
export function isStatedLater(memory: Memory, known: Memory): boolean {
  return memory.createdAt >= lastStatedAt(known)
}

/** Which of two contradicting memories wins: neither, unless it clearly replaces the other. */
function winner(one: SimilarMemory, memory: Memory, thresholds: Thresholds): "new" | "known" | "neither" {
  const wins = stronger(one.memory, memory)
  if (wins === "neither" || memory.source === "user-corrected") return wins
  return isClearReplacement(one, memory, wins) || isConfirmedByModel(one, memory, thresholds)
    ? wins
    : "neither"
}

/** The probability from which the trained model settles a contradiction that rules leave open. */
const sureUpdate = 0.9

/** Whether the trained model is sure too, and nothing but the contradiction differs. */
function isConfirmedByModel(
  { memory: known, relation, judged }: SimilarMemory,
  memory: Memory,
  thresholds: Thresholds,
) {
  if (judged === undefined || thresholds.judged === undefined || relation.kind !== "contradicts") return false
  if (judged.update < Math.max(sureUpdate, thresholds.judged.update)) return false
  const { older, newer } = relation.reason
  const opposed = new Set([...termsOf(older), ...termsOf(newer)])
  const [a, b] = [new Set(termsOf(known.content)), new Set(termsOf(memory.content))]
  const isShared = (term: number) => (a.has(term) && b.has(term)) || opposed.has(term)
  return [...a, ...b].every(isShared)
}

/** Whether the words leave no doubt that the winner replaces the other. */
function isClearReplacement(
  { memory: known, relation }: SimilarMemory,
  memory: Memory,
  wins: "new" | "known",
): boolean {
  if (relation.kind !== "contradicts") return false
  const { by, older, newer } = relation.reason
  return wins === "new"
    ? isReplacement(known.content, memory.content, { by, older, newer })
    : isReplacement(memory.content, known.content, { by, older: newer, newer: older })
}

/** Which of two contradicting memories is believed. */
function stronger(known: Memory, memory: Memory): "new" | "known" | "neither" {
  // An agent's note never replaces the user's memory, whatever their status.
  if (isAgentNote(memory) && isFromUser(known)) return "neither"
  if (known.status !== memory.status) return memory.status === "quarantined" ? "neither" : "new"
  const isLast = isStatedLater(memory, known)
  const weighs = weightOf(memory) - weightOf(known)
  // An earlier statement of the user does not replace a later one.
  if (weighs !== 0) return weighs > 0 && (isLast || !isFromUser(known)) ? "new" : "neither"
  if (areFromOneFile(known, memory)) return "neither"
  return isLast ? "new" : "known"
}

/** A user's correction weighs more than any trust. */
function weightOf({ source, trust }: Memory): number {
  return source === "user-corrected" ? 2 + trust : trust
}

/** The lines of one file of notes were stated together: none replaces another. */
function areFromOneFile(known: Memory, memory: Memory): boolean {
  return isNote(known) && isNote(memory) && known.createdAt === memory.createdAt
}

function related(
  similar: readonly SimilarMemory[],
  { linked }: Thresholds,
): { memory: Memory; weight: number }[] {
  return similar
    .flatMap(({ memory, similarity }) =>
      similarity !== undefined && similarity >= linked
        ? [{ memory, weight: Math.round(Math.min(1, similarity) * 1000) / 1000 }]
        : [],
    )
    .sort((a, b) => b.weight - a.weight)
    .slice(0, mostLinks)
}
