import type { Similarity } from "../../embedding/embedder.ts"
import { isSpoken } from "../../language/compare/compatibility.ts"
import { type Term, termOf } from "../../language/terms.ts"
import { narrowingWords } from "../../language/words/function-words.ts"
import { englishNegators } from "../../language/words/negators.ts"
import { wordsIn } from "../../storage/search.ts"
import type { Memory } from "../model/memory.ts"
import { sharedWords, wordingOf } from "../model/words/wording.ts"
import { areCompatible } from "../write/change/forget-restore.ts"
import { decide } from "../write/compare/decide.ts"
import { type SimilarMemory, similarTo } from "../write/compare/similar-memories.ts"

/** What rules say of two memories; without any of these they say nothing. */
export type Verdict =
  | { kind: "merge"; keep: Memory; drop: Memory }
  | { kind: "supersede"; winner: Memory; loser: Memory }
  | { kind: "conflict"; newer: Memory; older: Memory }
  | { kind: "ask"; a: Memory; b: Memory }

/** From which cosine on the garden takes two memories of different words for the same, and has somebody judge it. */
const nearlyEqual = 0.95
/** Without an embedder nothing is known about likeness: only words count. */
const byWordsAlone: Pick<Similarity, "duplicate" | "related"> = { duplicate: 1, related: 0 }

/** Judges one memory after the other, and knows which of them no longer stand because of it. */
export interface Judge {
  /** What follows from a memory and those like it. */
  judge(memory: Memory, similar: readonly SimilarMemory[]): Verdict[]
  stands(id: string): boolean
}

/** Begins to judge a scope's memories by the rules that `remember` has, and with its order of who wins. */
export function createJudge(similarity: Pick<Similarity, "duplicate" | "related"> = byWordsAlone): Judge {
  const thresholds = { duplicate: similarity.duplicate, linked: 1 }
  /** What became of memories that were merged into others; null for those that were replaced. */
  const gone = new Map<string, Memory | null>()

  /** What replaced a memory. */
  function standing(memory: Memory): Memory | undefined {
    let now: Memory | null = memory
    while (now !== null && gone.has(now.id)) now = gone.get(now.id) ?? null
    return now ?? undefined
  }

  function verdictOn(memory: Memory, one: SimilarMemory): Verdict | undefined {
    const { memory: other, relation, similarity: score } = one
    if (relation.kind === "contradicts") return opposed(memory, one)
    if (memory.type !== other.type) return undefined
    if (relation.kind === "same" && (score === undefined || score >= thresholds.duplicate)) {
      const [keep, drop] = inOrder(memory, other)
      return { kind: "merge", keep, drop }
    }
    const isNear = score !== undefined && score >= Math.max(nearlyEqual, thresholds.duplicate)
    return isNear ? { kind: "ask", a: other, b: memory } : undefined
  }

  /** The rules of `remember`, as if the newer one came in now. What was said in a conversation takes nothing back. */
  function opposed(memory: Memory, one: SimilarMemory): Verdict | undefined {
    if (canStandTogether(memory, one.memory)) return undefined
    const [newer, older] = byAge(memory, one.memory)
    const isNear = one.similarity === undefined || one.similarity >= similarity.related
    const isPlain = sayAboutTheSame(newer, older) && fillsOneSlot(newer, one)
    const decision = decide(newer, [{ ...one, memory: older }], thresholds)
    if (decision.kind !== "save" || !(isNear || shareMost(newer, older))) return undefined
    const isDecided = decision.supersedes.length > 0
    if (isDecided && isNear && isPlain && isToldInOrder(newer, older))
      return { kind: "supersede", winner: newer, loser: older }
    return isDecided || decision.conflicts.length > 0 ? { kind: "conflict", newer, older } : undefined
  }

  /** Judges against what replaced the other, if anything did. */
  function settle(memory: Memory, one: SimilarMemory): Verdict | undefined {
    const other = standing(one.memory)
    if (other === undefined || other.id === memory.id) return undefined
    const isStill = other.id === one.memory.id
    const now = isStill
      ? one
      : similarTo(other, wordingOf(other.content), wordingOf(memory.content), undefined)
    const verdict = verdictOn(memory, now)
    if (verdict?.kind === "merge") gone.set(verdict.drop.id, verdict.keep)
    if (verdict?.kind === "supersede") gone.set(verdict.loser.id, null)
    return verdict
  }

  return {
    stands: (id) => !gone.has(id),
    judge: (memory, similar) =>
      inTurn(similar).flatMap((one) => (gone.has(memory.id) ? [] : (settle(memory, one) ?? []))),
  }
}

function canStandTogether(a: Memory, b: Memory): boolean {
  return areCompatible(a, b) || (isSpoken(a.content) && isSpoken(b.content))
}

/** The newer one first. */
function byAge(a: Memory, b: Memory): [Memory, Memory] {
  const order = b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
  return order <= 0 ? [a, b] : [b, a]
}

/** Whether it is known which came later, or does not matter: what came in one import, without dates, has no order. */
function isToldInOrder(newer: Memory, older: Memory): boolean {
  return newer.createdAt > older.createdAt || newer.trust > older.trust || newer.source !== older.source
}

/** Whether they have so many words in common that they may speak of one thing, however far the vectors are. */
function shareMost(a: Memory, b: Memory): boolean {
  const [x, y] = [wordingOf(a.content), wordingOf(b.content)]
  if (x.isWordless || y.isWordless) return true
  return Math.max(x.terms.size, y.terms.size) <= fewWords || sharedWords(x.terms, y.terms) >= surelyShared
}

const fewWords = 4
const surelyShared = 0.6

/**
 * Whether the words leave little doubt that both speak of one thing: but for one word on each side they are the same, and
 * neither is said with a reservation that the other has not. Only then one goes without being asked about.
 */
function sayAboutTheSame(a: Memory, b: Memory): boolean {
  const [x, y] = [wordingOf(a.content), wordingOf(b.content)]
  if (x.isWordless || y.isWordless) return true
  const isNarrower = narrowingOf(a.content) !== narrowingOf(b.content)
  const [more, less] = [onlyIn(x.terms, y.terms), onlyIn(y.terms, x.terms)]
  return !isNarrower && more === less && more <= 1
}

/**
 * Whether what opposes is another value of the same thing, or its denial: not another thing of which the same is said.
 * Opposite words ("reads", "writes"), orders and alternatives ("Frankfurt", "Dublin") may well stand for two things.
 */
function fillsOneSlot({ content }: Memory, { relation, memory: one }: SimilarMemory): boolean {
  if (relation.kind !== "contradicts") return false
  const { by, older, newer } = relation.reason
  if (by === "negation" || by === "preference" || by === "slot") return true
  if (isValueAtEnd(content, one.content)) return true
  if (by !== "number" && by !== "version") return false
  const at = Math.max(content.indexOf(older), content.indexOf(newer))
  const before = wordsIn(content.slice(0, Math.max(0, at)))
  // A number at the beginning, or in a name, tells which thing it is.
  return before.length >= 3 && !/[\p{L}_-]$/u.test(content.slice(0, at))
}

/** Whether both say of the same thing what it is, and differ in that alone: "The default branch is main", "… is trunk". */
function isValueAtEnd(a: string, b: string): boolean {
  const [x, y] = [wordsIn(a), wordsIn(b)]
  let shared = 0
  while (shared < x.length && x[shared] === y[shared]) shared += 1
  const isShort = x.length - shared <= 2 && y.length - shared <= 2
  return isShort && shared >= 2 && (x[shared - 1] === "is" || x[shared - 1] === "are")
}

function onlyIn(some: ReadonlySet<Term>, others: ReadonlySet<Term>): number {
  return [...some].filter((term) => !others.has(term) && !denials.has(term)).length
}

/** What only says that something is not so. */
const denials = new Set(
  Object.keys(englishNegators)
    .flatMap((denial) => denial.split(" "))
    .map(termOf),
)

function narrowingOf(text: string): string {
  return wordsIn(text)
    .filter((word) => narrowingWords.has(word))
    .sort()
    .join(" ")
}

/** Oppositions first: what opposes is settled before anything is merged. */
function inTurn(similar: readonly SimilarMemory[]): SimilarMemory[] {
  const rank = ({ relation }: SimilarMemory) =>
    relation.kind === "contradicts" ? 0 : relation.kind === "same" ? 1 : 2
  return similar.toSorted((a, b) => rank(a) - rank(b) || (b.similarity ?? 1) - (a.similarity ?? 1))
}

/** The one to keep first: the more trusted, then the stronger, then the older. */
function inOrder(a: Memory, b: Memory): [Memory, Memory] {
  const order =
    b.trust - a.trust || b.strength - a.strength || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
  return order <= 0 ? [a, b] : [b, a]
}
