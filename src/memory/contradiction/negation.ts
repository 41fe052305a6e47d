import { compareTokens } from "./compare.ts"
import type { Opposition } from "./relation.ts"
import type { Negation, Statement } from "./statement.ts"
import type { Token } from "./token.ts"

/** Whether one statement denies what the other does not: two denials in one clause take each other back. */
export function oneDenies(a: Statement, b: Statement): boolean {
  if ((a.negations.length + b.negations.length) % 2 === 1) return true
  const [more, none] = a.negations.length > 0 ? [a, b] : [b, a]
  return none.negations.length === 0 && more.negations.length === 2 && areApart(more)
}

/** Whether its two denials stand in different parts of the sentence. */
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

/** The first words with a meaning after a denial, or the last before it. */
function focus(statement: Statement, negation: Negation): Token[] {
  const after = statement.tokens.slice(negation.at).filter((token) => !token.link)
  if (after.length > 0) return after.slice(0, 2)
  return statement.tokens
    .slice(0, negation.at)
    .filter((token) => !token.link)
    .slice(-1)
}

/** How much of the denying side the other must say, and how much of the other the denying side. */
const leastDenied = 0.66
const leastSaid = 0.33

/** One statement denies what the other says; order and additions on the saying side do not matter. */
export function opposedByNegation(a: Statement, b: Statement): Opposition | undefined {
  const inA = a.negations.length > b.negations.length
  const [denying, saying] = inA ? [a, b] : [b, a]
  const negation = denying.negations.find((each) => isDeniedBy(denying, each, saying)) ?? undefined
  if (negation === undefined) return undefined
  const denied = covered(denying.tokens, saying.tokens)
  const said = covered(saying.tokens, denying.tokens)
  if (denied < leastDenied || said < leastSaid) return undefined
  const [target] = focus(denying, negation)
  const denial = `${negation.text} ${target?.text ?? ""}`.trim()
  const statement = target === undefined ? "" : (counterpart(target, saying.tokens)?.text ?? target.text)
  return inA
    ? { by: "negation", older: denial, newer: statement }
    : { by: "negation", older: statement, newer: denial }
}

function isDeniedBy(denying: Statement, negation: Negation, saying: Statement): boolean {
  const targets = focus(denying, negation)
  return targets.length === 0 || targets.some((target) => counterpart(target, saying.tokens) !== undefined)
}

/** The share of the words with a meaning that the other side has too, or a more general or special word for. */
function covered(tokens: readonly Token[], others: readonly Token[]): number {
  const contents = tokens.filter((token) => !token.link && !general.has(token.key))
  if (contents.length === 0) return 1
  return contents.filter((token) => counterpart(token, others) !== undefined).length / contents.length
}

/** Words that say little by themselves: whether the other side has them does not matter. */
const general = new Set([
  "somebody",
  "someone",
  "anyone",
  "anybody",
  "yes",
  "always",
  "something",
  "anything",
])

function counterpart(token: Token, others: readonly Token[]): Token | undefined {
  return others.find((other) => {
    const match = compareTokens(token, other)
    return match.is === "equal" || match.is === "near"
  })
}
