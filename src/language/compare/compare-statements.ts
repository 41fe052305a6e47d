import { lexicon } from "../read/lexicon.ts"
import type { Statement } from "../read/statement.ts"
import type { Token } from "../read/token.ts"
import { addingVerbs, narrowingWords, numberedNouns } from "../words/word-lists.ts"
import { align, canAlign, type Middle, middleOf } from "./align.ts"
import { isAmong } from "./compare-tokens.ts"
import { type Difference, differenceOf, type Opposed } from "./difference.ts"
import { denyTheSame, oneDenies, opposedByNegation } from "./negation.ts"
import { opposedByRejection } from "./rejection.ts"
import type { Opposition, Relation } from "./relation.ts"
import { fitsStretch, onlyStretch, opposedBySlot, opposedByValue } from "./slot.ts"
import { countUnrelated } from "./unrelated-words.ts"

/** Compares two English statements; the kind of the answer does not depend on their order. */
export function compareStatements(a: Statement, b: Statement, tolerance: number): Relation {
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

/** Whether a text is more than a few sentences: documents can be the same, but do not contradict each other as a whole. */
function isDocument({ tokens, rejected, negations }: Statement): boolean {
  return tokens.length + rejected.length > mostTokens || negations.length > mostNegations
}

function saysSomething(statement: Statement): boolean {
  return statement.tokens.some((token) => !token.link)
}

/** Whether everything besides the words agrees: negations, tense, rejected alternatives. */
function agree(a: Statement, b: Statement): boolean {
  const within = (tokens: readonly Token[], others: readonly Token[]) =>
    tokens.every((token) => isAmong(token, others))
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

/** "deployed" without a form of "to be" before it is in the past tense. */
function isPastForm(token: Token): boolean {
  return (
    token.form === "word" &&
    /ed$/i.test(token.text) &&
    !token.afterBe &&
    token.isRewritten !== true &&
    token.key !== token.text.toLowerCase()
  )
}

function opposition(a: Statement, b: Statement, middle: Middle, tolerance: number) {
  const rejection = opposedByRejection(a, b)
  if (rejection !== undefined) return rejection
  const denies = oneDenies(a, b)
  const negation = denies ? opposedByNegation(a, b) : undefined
  // Aligning takes long, and most statements are unrelated.
  if (denies ? negation === undefined : !mayOppose(middle, a, b, tolerance)) return undefined
  const difference = differenceOf(align(a.tokens, b.tokens, middle))
  if (denies) {
    // A negated opposite means about the same: "not enabled", "disabled".
    const isTurnedRound = difference.opposed.some((pair) => !standElsewhere(a, b, pair))
    return isTurnedRound ? undefined : negation
  }
  if (difference.opposed.length > 0) {
    const opposed = opposedByWords(a, b, difference, tolerance)
    if (opposed !== undefined) return opposed
  }
  return slotOpposition(a, b, difference)
}

/** Whether an alignment can show a contradiction: one differing stretch, or few additional words on one side. */
function mayOppose(middle: Middle, a: Statement, b: Statement, tolerance: number): boolean {
  if (fitsStretch(middle.a) && fitsStretch(middle.b)) return true
  const [inA, inB] = [telling(a.tokens), telling(b.tokens)]
  if (Math.abs(inA - inB) > Math.min(inA, inB) * tolerance) return false
  const [strangeInA, strangeInB] = [countUnrelated(middle.a, b.tokens), countUnrelated(middle.b, a.tokens)]
  return strangeInA + strangeInB <= Math.min(inA - strangeInA, inB - strangeInB) * tolerance
}

function telling(tokens: readonly Token[]): number {
  let count = 0
  for (const token of tokens) if (!token.link) count += 1
  return count
}

/** Whether both words also occur on the other side: "a black dog and a brown dog", "a brown dog and a black dog". */
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

/** The same two words again, or the same two numbers in another spelling. */
function isSamePair(first: Opposed, other: Opposed): boolean {
  const plain = (token: Token) => token.key.replaceAll(/[^\p{L}\d]+|^v(?=\d)/gu, "")
  const digits = (token: Token) => token.key.replaceAll(/\D+/g, "")
  if (first.a.key === other.a.key && first.b.key === other.b.key) return true
  if (plain(first.a) === plain(other.a) && plain(first.b) === plain(other.b)) return true
  return digits(first.a) !== "" && digits(first.a) === digits(other.a) && digits(first.b) === digits(other.b)
}

/** Whether the rest is similar enough to be about one thing, and nothing narrows one side to a case. */
function isAligned({ shared, near, extra, steps }: Difference, tolerance: number): boolean {
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

/** Whether the two words exclude each other here: no numbered nouns, no lists, no verbs whose objects add up. */
function excludes({ steps }: Difference, { a, b, by, at }: Opposed): boolean {
  const previous = steps[at - 1]?.a
  if (by === "number" || by === "version" || by === "ordinal") {
    const isLast = at === steps.length - 1
    const names =
      a.text.startsWith("#") ||
      (previous !== undefined && numberedNouns.has(previous.key)) ||
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

/** A spelled-out number after its noun names one of several, as in "test one"; an amount comes before its noun. */
function isLabel(number: Token, previous: Token | undefined): boolean {
  if (previous === undefined || previous.link || number.paused) return false
  return /^\p{L}+$/u.test(number.text) && !/s$/i.test(previous.text)
}

const supporting = new Set(["support", "test", "include", "know", "compatible", "allow"])

/** A number after a name is its version: Node 20, TypeScript 5.9. */
function isVersioned(token: Token, previous: Token | undefined): boolean {
  if (token.quantity?.kind === "version") return true
  if (token.quantity?.kind !== "amount" || token.quantity.unit !== "" || previous === undefined) return false
  return previous.key === "version" || /^\p{Lu}/u.test(previous.text)
}

/**
 * Whether a word is one of a pair that may be incomplete: "uses Redis and Kafka". In a longer list that is otherwise
 * equal one member was exchanged; a pair before its noun ("a red and white shirt") is complete.
 */
function isListed(tokens: readonly (Token | undefined)[], token: Token): boolean {
  const present = tokens.filter((other) => other !== undefined)
  const at = present.indexOf(token)
  if (!isJoined(present, at, -1) && !isJoined(present, at, 1)) return false
  const members = present.filter((other) => lexicon().shareGroup(other.key, token.key)).length
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
  return lexicon().isInGroup(own.key) && lexicon().isInGroup(other.key)
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
