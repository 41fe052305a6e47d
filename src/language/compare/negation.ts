import type { Negation, Statement } from "../read/statement.ts"
import type { Token } from "../read/token.ts"
import { wordSet } from "../words/word-lists.ts"
import { compareTokens } from "./compare-tokens.ts"
import type { Opposition } from "./relation.ts"
import { isOfOneStem } from "./stem.ts"

/** Whether only one statement denies something: two negations in one clause cancel each other. */
export function oneDenies(a: Statement, b: Statement): boolean {
  if ((a.negations.length + b.negations.length) % 2 === 1) return true
  const [more, none] = a.negations.length > 0 ? [a, b] : [b, a]
  return none.negations.length === 0 && more.negations.length === 2 && areApart(more)
}

/** Whether its two negations are in different parts of the sentence. */
function areApart({ tokens, negations: [first, second] }: Statement): boolean {
  if (first === undefined || second === undefined) return false
  return tokens.slice(first.at, second.at).some((token) => token.key === "and" || token.paused)
}

/** Whether both deny the same things in the same way. */
export function denyTheSame(a: Statement, b: Statement): boolean {
  return (
    a.negations.length === b.negations.length &&
    a.negations.every((negation, index) => {
      const other = b.negations[index]
      return other !== undefined && negation.ended === other.ended && isSameFocus(a, negation, b, other)
    })
  )
}

function isSameFocus(a: Statement, inA: Negation, b: Statement, inB: Negation): boolean {
  const first = focus(a, inA)[0]
  const second = focus(b, inB)[0]
  if (first === undefined || second === undefined) return first === second
  return compareTokens(first, second).is === "equal"
}

/** The first words with a meaning after a negation, or the last before it. */
function focus(statement: Statement, negation: Negation): Token[] {
  const after = statement.tokens.slice(negation.at).filter(isTelling)
  if (after.length > 0) return after.slice(0, 2)
  return statement.tokens
    .slice(0, negation.at)
    .filter((token) => !token.link)
    .slice(-1)
}

/** The share of the affirming side's words that the denying side must have. */
const leastAffirmed = 0.33

/** How many words of the denying side the other may lack: a negation in one case is not a general one. */
function mostLacking(words: number): number {
  if (words < 5) return 0
  return words < 7 ? 1 : Math.floor(words * 0.3)
}

/** One statement denies what the other affirms; word order and additions on the affirming side do not matter. */
export function opposedByNegation(a: Statement, b: Statement): Opposition | undefined {
  const inA = a.negations.length > b.negations.length
  const [denying, saying] = inA ? [a, b] : [b, a]
  const unshared = denying.negations.filter(
    (own) => !saying.negations.some((other) => isSameFocus(denying, own, saying, other)),
  )
  const negation = unshared.find(
    (each) => isDeniedBy(denying, each, saying) && speakOfOne(clauseOf(denying, each), saying.tokens),
  )
  if (negation === undefined) return undefined
  const [target] = focus(denying, negation)
  const denial = `${negation.text} ${target?.text ?? ""}`.trim()
  const statement = target === undefined ? "" : (counterpart(target, saying.tokens)?.text ?? target.text)
  return inA
    ? { by: "negation", older: denial, newer: statement }
    : { by: "negation", older: statement, newer: denial }
}

function speakOfOne(denying: readonly Token[], saying: readonly Token[]): boolean {
  const denied = covered(denying, saying)
  const affirmed = covered(saying, denying)
  return denied.of - denied.count <= mostLacking(denied.of) && affirmed.count >= affirmed.of * leastAffirmed
}

/**
 * The part of a sentence that one of several negations belongs to: "the job does not build the image and does not push
 * the tag".
 */
function clauseOf({ tokens, negations }: Statement, negation: Negation): Token[] {
  const [first] = negations
  const next = negations.find(({ at }) => at > negation.at)
  if (first === undefined || (first === negation && next === undefined)) return tokens
  const joined = next !== undefined && tokens[next.at - 1]?.link === true ? next.at - 1 : next?.at
  return [...tokens.slice(0, first.at), ...tokens.slice(negation.at, joined)]
}

function isDeniedBy(denying: Statement, negation: Negation, saying: Statement): boolean {
  const [target, next] = focus(denying, negation)
  if (target === undefined || counterpart(target, saying.tokens) !== undefined) return true
  // "no young child", "nobody in a hat waits": the negation concerns the child, the waiting.
  if (target.form !== "word" || next === undefined || !deniesThere.test(negation.text)) return false
  return counterpart(next, saying.tokens) !== undefined
}

/** Negations of existence. */
const deniesThere = /^(?:no|not a single|nobody|no one|none)$/i

/** How many of the words with a meaning the other side also has, or has a more general or special word for. */
function covered(tokens: readonly Token[], others: readonly Token[]): { count: number; of: number } {
  const contents = tokens.filter(isTelling)
  const count = contents.filter((token) => counterpart(token, others) !== undefined).length
  return { count, of: contents.length }
}

/** Words that say little by themselves and may be missing on the other side. */
const general = wordSet(
  "somebody someone anyone anybody yes always something anything everybody everyone group bunch piece pair can may must should shall",
)

function isTelling(token: Token): boolean {
  return !token.link && !general.has(token.key)
}

function counterpart(token: Token, others: readonly Token[]): Token | undefined {
  return others.find((other) => {
    const match = compareTokens(token, other)
    return match.is === "equal" || match.is === "near" || (match.is === "other" && isOfOneStem(token, other))
  })
}
