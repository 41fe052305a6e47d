import { lexicon } from "../read/lexicon.ts"
import { denyTheSame, oneDenies, opposedByNegation } from "../read/negation.ts"
import { fitsStretch, onlyStretch, opposedBySlot, opposedByValue } from "../read/slot.ts"
import type { Statement } from "../read/statement.ts"
import type { Token } from "../read/token.ts"
import { countStrange } from "../read/unrelated-words.ts"
import { addingVerbs, narrowingWords, numberedThings } from "../words/function-words.ts"
import { align, canAlign, type Middle, middleOf } from "./align.ts"
import { compareTokens } from "./compare-tokens.ts"
import { type Difference, differenceOf, type Opposed } from "./difference.ts"
import { opposedByRejection } from "./rejection.ts"
import type { Opposition, Relation } from "./relation.ts"

/** Judges two English statements; the kind of the answer is the same whichever comes first. */
export function judge(a: Statement, b: Statement, tolerance: number): Relation {
  if (!saysSomething(a) || !saysSomething(b)) return { kind: "differs", reason: "one of them says nothing" }
  const middle = middleOf(a.tokens, b.tokens)
  if (!canAlign(middle)) return { kind: "differs", reason: "too long to lay side by side" }
  if (middle.a.length + middle.b.length === 0 && agree(a, b)) return { kind: "same" }
  if (isDocument(a) || isDocument(b)) return { kind: "differs", reason: "too long for a statement" }
  if (a.asks || b.asks) return { kind: "differs", reason: "one of them asks" }
  const reason = opposition(a, b, middle, tolerance)
  return reason === undefined ? { kind: "differs" } : { kind: "contradicts", reason }
}

const mostTokens = 400
const mostNegations = 8

/** Whether a text is more than a few sentences: such texts are the same or not, but do not oppose as a whole. */
function isDocument({ tokens, rejected, negations }: Statement): boolean {
  return tokens.length + rejected.length > mostTokens || negations.length > mostNegations
}

function saysSomething(statement: Statement): boolean {
  return statement.tokens.some((token) => !token.link)
}

/** Whether everything beside the words agrees: denials, time, what is turned down. */
function agree(a: Statement, b: Statement): boolean {
  const within = (tokens: readonly Token[], others: readonly Token[]) =>
    tokens.every((token) => others.some((other) => compareTokens(token, other).is === "equal"))
  return (
    a.past === b.past &&
    a.changed === b.changed &&
    a.asks === b.asks &&
    denyTheSame(a, b) &&
    within(a.rejected, b.rejected) &&
    within(b.rejected, a.rejected) &&
    a.tokens.every((token, at) => isPastForm(token) === isPastForm(b.tokens[at] ?? token))
  )
}

/** "deployed" without a form of "to be" before it tells of the past. */
function isPastForm(token: Token): boolean {
  return (
    token.form === "word" &&
    /ed$/i.test(token.text) &&
    !token.afterBe &&
    token.turned !== true &&
    token.key !== token.text.toLowerCase()
  )
}

function opposition(a: Statement, b: Statement, middle: Middle, tolerance: number) {
  const rejection = opposedByRejection(a, b)
  if (rejection !== undefined) return rejection
  const denies = oneDenies(a, b)
  const negation = denies ? opposedByNegation(a, b) : undefined
  // Laying side by side takes long, and most statements have nothing to do with each other.
  if (denies ? negation === undefined : !mayOppose(middle, a, b, tolerance)) return undefined
  const difference = differenceOf(align(a.tokens, b.tokens, middle))
  if (denies) {
    // What is denied and turned round at once means about the same: "not enabled", "disabled".
    const isTurnedRound = difference.opposed.some((pair) => !standElsewhere(a, b, pair))
    return isTurnedRound ? undefined : negation
  }
  if (difference.opposed.length > 0) {
    const opposed = opposedByWords(a, b, difference, tolerance)
    if (opposed !== undefined) return opposed
  }
  return slotOpposition(a, b, difference)
}

/** Whether laying side by side can show an opposition: one stretch that differs, or few words more on one side. */
function mayOppose(middle: Middle, a: Statement, b: Statement, tolerance: number): boolean {
  if (fitsStretch(middle.a) && fitsStretch(middle.b)) return true
  const [inA, inB] = [telling(a.tokens), telling(b.tokens)]
  if (Math.abs(inA - inB) > Math.min(inA, inB) * tolerance) return false
  const [strangeInA, strangeInB] = [countStrange(middle.a, b.tokens), countStrange(middle.b, a.tokens)]
  return strangeInA + strangeInB <= Math.min(inA - strangeInA, inB - strangeInB) * tolerance
}

function telling(tokens: readonly Token[]): number {
  let count = 0
  for (const token of tokens) if (!token.link) count += 1
  return count
}

/** Whether both words stand on the other side too: "a black dog and a brown dog", "a brown dog and a black dog". */
function standElsewhere(a: Statement, b: Statement, pair: Opposed): boolean {
  const has = ({ tokens }: Statement, key: string) => tokens.some((token) => token.key === key)
  return has(b, pair.a.key) && has(a, pair.b.key)
}

function opposedByWords(a: Statement, b: Statement, difference: Difference, tolerance: number) {
  const [first, ...more] = difference.opposed
  if (first === undefined || difference.scopes > 0 || difference.replaced > 0) return undefined
  if (more.some((other) => !isSamePair(first, other))) return undefined
  const alone = difference.shared === 0 && difference.steps.length < 3
  if (alone || !isAligned(difference, tolerance)) return undefined
  if (isBehindDenial(a, first.a) || isBehindDenial(b, first.b)) return undefined
  if (!excludes(difference, first)) return undefined
  return { by: kindOf(difference, first), older: first.a.text, newer: first.b.text }
}

/** The same two words again, or the same two numbers written otherwise. */
function isSamePair(first: Opposed, other: Opposed): boolean {
  const plain = (token: Token) => token.key.replaceAll(/[^\p{L}\d]+|^v(?=\d)/gu, "")
  const digits = (token: Token) => token.key.replaceAll(/\D+/g, "")
  if (first.a.key === other.a.key && first.b.key === other.b.key) return true
  if (plain(first.a) === plain(other.a) && plain(first.b) === plain(other.b)) return true
  return digits(first.a) !== "" && digits(first.a) === digits(other.a) && digits(first.b) === digits(other.b)
}

/** Whether the rest is near enough the same to speak of one thing, and nothing narrows one side to a case. */
function isAligned({ shared, near, onlyInA, onlyInB, steps }: Difference, tolerance: number): boolean {
  const extra = onlyInA.length + onlyInB.length
  if (extra > (shared + near) * tolerance) return false
  return !steps.some((step) => {
    const alone = step.a === undefined ? step.b : step.b === undefined ? step.a : undefined
    return alone !== undefined && (narrowingWords.has(alone.key) || (extra > 0 && alone.link))
  })
}

function isBehindDenial(statement: Statement, token: Token): boolean {
  const at = statement.tokens.indexOf(token)
  return statement.negations.some((negation) => negation.at <= at)
}

/** Whether the two words leave no room for both: no numbered things, no lists, no verbs that add up. */
function excludes({ steps }: Difference, { a, b, by, at }: Opposed): boolean {
  const previous = steps[at - 1]?.a
  if (by === "number" || by === "version" || by === "ordinal") {
    const isLast = at === steps.length - 1
    const names =
      a.text.startsWith("#") ||
      (previous !== undefined && numberedThings.has(previous.key)) ||
      (isLast && isLabel(a, previous) && isLabel(b, steps[at - 1]?.b))
    if (names && at <= 2) return false
    return !(isVersioned(a, previous) && steps.some((step) => step.a && supporting.has(step.a.key)))
  }
  if (by !== "alternative") return true
  if (previous !== undefined && addingVerbs.has(previous.key)) return false
  return (
    !isListed(
      steps.map((step) => step.a),
      a,
    ) &&
    !isListed(
      steps.map((step) => step.b),
      b,
    )
  )
}

/** A number in letters right behind its noun names one of several, as in "test one"; an amount goes before its noun. */
function isLabel(number: Token, previous: Token | undefined): boolean {
  if (previous === undefined || previous.link || number.paused) return false
  return /^\p{L}+$/u.test(number.text) && !/s$/i.test(previous.text)
}

const supporting = new Set(["support", "test", "include", "know", "compatible", "allow"])

/** A number right after a name is that thing's version: Node 20, TypeScript 5.9. */
function isVersioned(token: Token, previous: Token | undefined): boolean {
  if (token.quantity?.kind === "version") return true
  if (token.quantity?.kind !== "amount" || token.quantity.unit !== "" || previous === undefined) return false
  return previous.key === "version" || /^\p{Lu}/u.test(previous.text)
}

/**
 * Whether a word is one of a pair that may be part of more: "uses Redis and Kafka". In a longer list of which all
 * else is equal one was exchanged; before what they describe ("a red and white shirt") there is no more.
 */
function isListed(tokens: readonly (Token | undefined)[], token: Token): boolean {
  const present = tokens.filter((other) => other !== undefined)
  const at = present.indexOf(token)
  if (!isJoined(present, at, -1) && !isJoined(present, at, 1)) return false
  const members = present.filter((other) => lexicon().alike(other.key, token.key)).length
  const last = isJoined(present, at, 1) ? at + 2 : at
  const next = present[last + 1]
  const describes = next !== undefined && !next.link && !next.paused
  return members < 3 && !describes
}

function isJoined(tokens: readonly Token[], at: number, way: 1 | -1): boolean {
  const own = tokens[at]
  const next = tokens[at + way]
  const joins = next?.key === "and" || next?.key === "or"
  const other = joins ? tokens[at + 2 * way] : next
  const paused = joins || (way === 1 ? next?.paused : own?.paused) === true
  if (!paused || own === undefined || other === undefined) return false
  return lexicon().isOfAKind(own.key) && lexicon().isOfAKind(other.key)
}

function kindOf({ steps }: Difference, { a, by, at }: Opposed): Opposition["by"] {
  if (by === "number" && isVersioned(a, steps[at - 1]?.a)) return "version"
  const prefers = steps.some((step) => step.a?.key === "prefer")
  return prefers && (by === "alternative" || by === "antonym") ? "preference" : by
}

function slotOpposition(a: Statement, b: Statement, difference: Difference): Opposition | undefined {
  if (a.negations.length + b.negations.length > 0 || difference.scopes > 1) return undefined
  const stretch = onlyStretch(difference.steps)
  if (stretch === undefined || difference.shared === 0) return undefined
  if (difference.scopes === 1) return opposedByValue(stretch)
  const onlyNear = difference.replaced + difference.opposed.length === 0
  const narrowed = [...stretch.a, ...stretch.b].some((token) => narrowingWords.has(token.key))
  return onlyNear || narrowed ? undefined : opposedBySlot(stretch)
}
