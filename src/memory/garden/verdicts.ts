import type { Similarity } from "../../embedding/embedder.ts"
import { isDialogueLine } from "../../language/compare/compatibility.ts"
import { type Term, termOf } from "../../language/terms.ts"
import { englishNegators } from "../../language/words/negators.ts"
import { narrowingWords } from "../../language/words/word-lists.ts"
import { tokenize } from "../../storage/search.ts"
import type { Memory } from "../model/memory.ts"
import { comparableText, wordOverlap } from "../model/words/comparable-text.ts"
import { areCompatible } from "../write/change/forget-restore.ts"
import { decide } from "../write/compare/decide.ts"
import { type SimilarMemory, similarTo } from "../write/compare/similar-memories.ts"

/** What the rules decide about two memories. */
export type Verdict =
  | { kind: "merge"; keep: Memory; drop: Memory }
  | { kind: "supersede"; winner: Memory; loser: Memory }
  | { kind: "conflict"; newer: Memory; older: Memory }
  | { kind: "ask"; a: Memory; b: Memory }

/** From this cosine on, two memories in different words may say the same, and a model is asked. */
const nearlyEqual = 0.95
/** Without an embedder only words count. */
const byWordsAlone: Pick<Similarity, "duplicate" | "related"> = { duplicate: 1, related: 0 }

/** Judges one memory after the other, and tracks which were merged or replaced by that. */
export interface Judge {
  judge(memory: Memory, similar: readonly SimilarMemory[]): Verdict[]
  isCurrent(id: string): boolean
}

/** Judges a scope's memories by the rules of `remember`, with the same precedence. */
export function createJudge(similarity: Pick<Similarity, "duplicate" | "related"> = byWordsAlone): Judge {
  const thresholds = { duplicate: similarity.duplicate, linked: 1 }
  /** The memories that were merged, with what they were merged into; null for replaced ones. */
  const gone = new Map<string, Memory | null>()

  /** The memory itself, or the one it was merged into; undefined if it was replaced. */
  function currentOf(memory: Memory): Memory | undefined {
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

  /** The rules of `remember`, as if the newer one came in now. Two lines of conversation never contradict each other. */
  function opposed(memory: Memory, one: SimilarMemory): Verdict | undefined {
    if (canBothBeTrue(memory, one.memory)) return undefined
    const [newer, older] = byAge(memory, one.memory)
    const isNear = one.similarity === undefined || one.similarity >= similarity.related
    const isPlain = differInOneWord(newer, older) && fillsOneSlot(newer, one)
    const decision = decide(newer, [{ ...one, memory: older }], thresholds)
    if (decision.kind !== "save" || !(isNear || shareMost(newer, older))) return undefined
    const isDecided = decision.supersedes.length > 0
    if (isDecided && isNear && isPlain && isOrderKnown(newer, older))
      return { kind: "supersede", winner: newer, loser: older }
    return isDecided || decision.conflicts.length > 0 ? { kind: "conflict", newer, older } : undefined
  }

  /** Judges against what the other was merged into, if it was. */
  function verdictNow(memory: Memory, one: SimilarMemory): Verdict | undefined {
    const other = currentOf(one.memory)
    if (other === undefined || other.id === memory.id) return undefined
    const isStill = other.id === one.memory.id
    const now = isStill
      ? one
      : similarTo(other, comparableText(other.content), comparableText(memory.content), undefined)
    const verdict = verdictOn(memory, now)
    if (verdict?.kind === "merge") gone.set(verdict.drop.id, verdict.keep)
    if (verdict?.kind === "supersede") gone.set(verdict.loser.id, null)
    return verdict
  }

  return {
    isCurrent: (id) => !gone.has(id),
    judge: (memory, similar) =>
      inTurn(similar).flatMap((one) => (gone.has(memory.id) ? [] : (verdictNow(memory, one) ?? []))),
  }
}

function canBothBeTrue(a: Memory, b: Memory): boolean {
  return areCompatible(a, b) || (isDialogueLine(a.content) && isDialogueLine(b.content))
}

/** The newer one first. */
function byAge(a: Memory, b: Memory): [Memory, Memory] {
  const order = b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
  return order <= 0 ? [a, b] : [b, a]
}

/** Whether it is known which came later, or does not matter: memories of one import without dates have no order. */
function isOrderKnown(newer: Memory, older: Memory): boolean {
  return newer.createdAt > older.createdAt || newer.trust > older.trust || newer.source !== older.source
}

/** Whether they share so many words that they may be about one thing, however far apart their vectors are. */
function shareMost(a: Memory, b: Memory): boolean {
  const [x, y] = [comparableText(a.content), comparableText(b.content)]
  if (x.isWordless || y.isWordless) return true
  return Math.max(x.terms.size, y.terms.size) <= fewWords || wordOverlap(x.terms, y.terms) >= surelyShared
}

const fewWords = 4
const surelyShared = 0.6

/**
 * Whether the two differ in at most one word on each side, and neither has a qualification that the other lacks. Only then
 * one supersedes the other without asking.
 */
function differInOneWord(a: Memory, b: Memory): boolean {
  const [x, y] = [comparableText(a.content), comparableText(b.content)]
  if (x.isWordless || y.isWordless) return true
  const isNarrower = narrowingOf(a.content) !== narrowingOf(b.content)
  const [more, less] = [onlyIn(x.terms, y.terms), onlyIn(y.terms, x.terms)]
  return !isNarrower && more === less && more <= 1
}

/**
 * Whether the contradiction is another value of the same thing, or its negation, rather than the same said of another
 * thing. Antonyms ("reads", "writes"), orders and alternatives ("Frankfurt", "Dublin") may well be about two things.
 */
function fillsOneSlot({ content }: Memory, { relation, memory: one }: SimilarMemory): boolean {
  if (relation.kind !== "contradicts") return false
  const { by, older, newer } = relation.reason
  if (by === "negation" || by === "preference" || by === "slot") return true
  if (isValueAtEnd(content, one.content)) return true
  if (by !== "number" && by !== "version") return false
  const at = Math.max(content.indexOf(older), content.indexOf(newer))
  const before = tokenize(content.slice(0, Math.max(0, at)))
  // A number at the beginning, or in a name, identifies the thing.
  return before.length >= 3 && !/[\p{L}_-]$/u.test(content.slice(0, at))
}

/** Whether they differ only in the value after "is" or "are": "The default branch is main", "… is trunk". */
function isValueAtEnd(a: string, b: string): boolean {
  const [x, y] = [tokenize(a), tokenize(b)]
  let shared = 0
  while (shared < x.length && x[shared] === y[shared]) shared += 1
  const isShort = x.length - shared <= 2 && y.length - shared <= 2
  return isShort && shared >= 2 && (x[shared - 1] === "is" || x[shared - 1] === "are")
}

function onlyIn(some: ReadonlySet<Term>, others: ReadonlySet<Term>): number {
  return [...some].filter((term) => !others.has(term) && !denials.has(term)).length
}

/** Words that only negate. */
const denials = new Set(
  Object.keys(englishNegators)
    .flatMap((denial) => denial.split(" "))
    .map(termOf),
)

function narrowingOf(text: string): string {
  return tokenize(text)
    .filter((word) => narrowingWords.has(word))
    .sort()
    .join(" ")
}

/** Contradictions first: they are decided before anything is merged. */
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
