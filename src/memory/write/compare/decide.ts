import type { Judgement } from "../../../judgement/judgement.ts"
import { agreeInDetail } from "../../../language/compare/agreement.ts"
import { canBothHold, isSpoken } from "../../../language/compare/compatibility.ts"
import { describeOpposition } from "../../../language/compare/relation.ts"
import { isReplacement } from "../../../language/compare/replacement.ts"
import { termsOf } from "../../../language/terms.ts"
import { isAgentsNote, isPersons } from "../../model/agents/agents.ts"
import { lastSaid, type Memory } from "../../model/memory.ts"
import { isNote } from "../../model/note.ts"
import type { SimilarMemory } from "./similar-memories.ts"

/** What is to become of a new memory. */
export type Decision =
  /** It is known: the known one gains by it, and replaces what the two outweigh. */
  | { kind: "reinforce"; known: Memory; supersedes: Memory[]; reason: string | undefined }
  /** It is kept. What it replaces, what replaces it, what it conflicts with and what it is like, each best first. */
  | {
      kind: "save"
      supersedes: Memory[]
      supersededBy: Memory | undefined
      conflicts: Memory[]
      /** What rules know nothing about and the trained model takes for an older or newer state of the same. */
      suspects: Suspect[]
      related: { memory: Memory; weight: number }[]
      /** In one sentence what opposes what, if anything does. */
      reason: string | undefined
    }

/** A memory that the new one may replace, or that may have replaced it. */
export interface Suspect {
  memory: Memory
  isNewer: boolean
  /** How sure the trained model is, 0 to 1. */
  weight: number
}

/** How alike two memories must be to be the same, or to be linked. */
export interface Thresholds {
  duplicate: number
  linked: number
  /** From which probability on the trained model is heard; undefined where there is none. */
  judged?: Pick<Judgement["thresholds"], "update" | "duplicate"> | undefined
}

const mostLinks = 3

/**
 * Decides from what is known of the memories like a new one. Contradiction comes first: what opposes is never merged, and it is
 * settled for what only repeats one side of a conflict too. A user's correction wins, then the more trusted one, then
 * the more recent one; where the known one is trusted more, it is not plain that one replaces the other, or both come
 * from one file of notes, both are kept as a conflict. What is only supposed replaces nothing that stands, and what was
 * said before replaces nothing that was said since. The trained model settles doubts of the rules where it agrees with
 * them; alone it only suspects.
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
    suspects: similar.flatMap((one) => suspectIn(memory, one, thresholds)),
    related: related(
      similar.filter((one) => !opposed.includes(one)),
      thresholds,
    ),
    reason,
  }
}

/**
 * Decides what a memory's new text means for others. It was said now; but unlike a correction that comes in, it corrects
 * the memory that it changes, and others only where it is plain that it replaces them. The trained model has the same say
 * as when something is remembered.
 */
export function decideEdited(
  memory: Memory,
  similar: readonly SimilarMemory[],
  at: number,
  judged?: Thresholds["judged"],
) {
  const said = { ...memory, createdAt: at }
  const thresholds = { duplicate: 0, linked: 1, judged }
  const opposed = similar.filter(
    ({ memory: known, relation }) =>
      relation.kind === "contradicts" && !canBothHold(known.content, memory.content, relation.reason),
  )
  const isSettled = (one: SimilarMemory) => isPlain(one, said, "new") || isAgreed(one, said, thresholds)
  const wins = opposed.filter((one) => stronger(one.memory, said) === "new" && isSettled(one))
  return {
    same: sameAs(
      memory,
      similar.filter((one) => one.memory.status === "active"),
      thresholds,
    ),
    supersedes: wins.map((one) => one.memory),
    conflicts: opposed.filter((one) => !wins.includes(one)).map((one) => one.memory),
    suspects: similar.flatMap((one) => suspectIn(said, one, thresholds)).filter((one) => !one.isNewer),
  }
}

/** Whether only one of the two can hold; a user's correction always means that. */
function isOpposed(memory: Memory, { memory: known, relation }: SimilarMemory): boolean {
  if (relation.kind !== "contradicts") return false
  return memory.source === "user-corrected" || !canBothHold(known.content, memory.content, relation.reason)
}

/**
 * The memory that says the same, if one does: by its words, and by its meaning where that is known; or in other words, if
 * the trained model says so and nothing in them differs that could matter.
 */
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
  const standing = (one: SimilarMemory) => (one.memory.status === "active" ? 1 : 0)
  const likeness = (one: SimilarMemory) => one.similarity ?? 1
  return same.sort((a, b) => standing(b) - standing(a) || likeness(b) - likeness(a))[0]?.memory
}

function isParaphrase(memory: Memory, one: SimilarMemory, judged: Thresholds["judged"]): boolean {
  if (one.relation.kind !== "differs" || one.judged === undefined || judged === undefined) return false
  return one.judged.duplicate >= judged.duplicate && agreeInDetail(one.memory.content, memory.content)
}

/**
 * What the trained model alone takes for an update. An agent's word is held against nothing that the person said, and lines
 * of conversations not against each other: they tell what was said then.
 */
function suspectIn(memory: Memory, one: SimilarMemory, { judged }: Thresholds): Suspect[] {
  const { memory: known, relation, judged: said } = one
  if (relation.kind !== "differs" || relation.reason !== undefined) return []
  if (judged === undefined || said === undefined || said.update < judged.update) return []
  if (areOfOneFile(known, memory) || (isSpoken(known.content) && isSpoken(memory.content))) return []
  const isNewer = !isSaidLast(memory, known)
  const [newer, older] = isNewer ? [known, memory] : [memory, known]
  if (isAgentsNote(newer) && isPersons(older)) return []
  return [{ memory: known, isNewer, weight: Math.round(said.update * 1000) / 1000 }]
}

/** Whether a new memory was said after a known one was, the last time. */
export function isSaidLast(memory: Memory, known: Memory): boolean {
  return memory.createdAt >= lastSaid(known)
}

/** Which of two opposed memories holds: none alone, unless it is plain that it replaces the other. */
function winner(one: SimilarMemory, memory: Memory, thresholds: Thresholds): "new" | "known" | "neither" {
  const wins = stronger(one.memory, memory)
  if (wins === "neither" || memory.source === "user-corrected") return wins
  return isPlain(one, memory, wins) || isAgreed(one, memory, thresholds) ? wins : "neither"
}

/** So sure the trained model must be to settle what rules see opposed and leave open. */
const surelyUpdated = 0.9

/** Whether the trained model is sure too, and nothing but what opposes differs: "kids' lessons" may be a case of their own. */
function isAgreed(
  { memory: known, relation, judged }: SimilarMemory,
  memory: Memory,
  thresholds: Thresholds,
) {
  if (judged === undefined || thresholds.judged === undefined || relation.kind !== "contradicts") return false
  if (judged.update < Math.max(surelyUpdated, thresholds.judged.update)) return false
  const { older, newer } = relation.reason
  const opposed = new Set([...termsOf(older), ...termsOf(newer)])
  const [a, b] = [new Set(termsOf(known.content)), new Set(termsOf(memory.content))]
  const isShared = (term: number) => (a.has(term) && b.has(term)) || opposed.has(term)
  return [...a, ...b].every(isShared)
}

/** Whether the words leave no doubt that the one that wins replaces the other. */
function isPlain({ memory: known, relation }: SimilarMemory, memory: Memory, wins: "new" | "known"): boolean {
  if (relation.kind !== "contradicts") return false
  const { by, older, newer } = relation.reason
  return wins === "new"
    ? isReplacement(known.content, memory.content, { by, older, newer })
    : isReplacement(memory.content, known.content, { by, older: newer, newer: older })
}

/** Which of two opposed memories is believed. */
function stronger(known: Memory, memory: Memory): "new" | "known" | "neither" {
  // An agent's word takes nothing of the person's away, however either stands.
  if (isAgentsNote(memory) && isPersons(known)) return "neither"
  if (known.status !== memory.status) return memory.status === "quarantined" ? "neither" : "new"
  const isLast = isSaidLast(memory, known)
  const weighs = weigh(memory) - weigh(known)
  // What the person has said since is not taken back by what they said before.
  if (weighs !== 0) return weighs > 0 && (isLast || !isPersons(known)) ? "new" : "neither"
  if (areOfOneFile(known, memory)) return "neither"
  return isLast ? "new" : "known"
}

/** A user's correction weighs more than any trust. */
function weigh({ source, trust }: Memory): number {
  return source === "user-corrected" ? 2 + trust : trust
}

/** What one file of notes says, it says all at once: a later line takes nothing of an earlier one back. */
function areOfOneFile(known: Memory, memory: Memory): boolean {
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
