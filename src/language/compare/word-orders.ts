import type { Statement } from "../read/statement.ts"
import type { Token } from "../read/token.ts"
import { attributes } from "../words/word-lists.ts"
import { compareTokens } from "./compare-tokens.ts"

/** Other word orders with the same meaning. */
export function otherReadings(statement: Statement): Statement[] {
  if (statement.rejected.length > 0 || statement.asks) return []
  const orders = [
    ...frontedLast(statement),
    ...(statement.negations.length > 0
      ? []
      : [
          ...turnedRound(statement.tokens),
          ...doneByUs(statement.tokens),
          ...describedFirst(statement.tokens),
        ]),
  ]
  return orders.map((order) => (Array.isArray(order) ? { ...statement, tokens: order } : order))
}

/**
 * Whether two statements have the same words except for at most one on each side: only then can another order make them
 * the same, or show a contradiction.
 */
export function haveSameWords(a: Statement, b: Statement): boolean {
  if (a.tokens.length !== b.tokens.length || a.tokens.length > longest) return false
  const left = [...b.tokens]
  let unmatched = 0
  for (const token of a.tokens) {
    const at = left.findIndex(
      (other) => other.link === token.link && compareTokens(token, other).is === "equal",
    )
    if (at === -1) unmatched += 1
    else left.splice(at, 1)
    if (unmatched > 1) return false
  }
  return true
}

const longest = 24
const longestFront = 6

const fronting = new Set(
  "in on at by for from with under during after before since until within via per if when while because".split(
    " ",
  ),
)

/** "On port 5433 the database listens": a phrase in front can move to the end. */
function frontedLast({ tokens, negations, ...rest }: Statement): Statement[] {
  const [first] = tokens
  if (first === undefined || !fronting.has(first.key)) return []
  const found: Statement[] = []
  for (let end = 2; end < Math.min(tokens.length, longestFront + 1); end += 1) {
    const [front, main] = [tokens.slice(0, end), tokens.slice(end)]
    if (!canStandFirst(front, main) || negations.some(({ at }) => at < end)) continue
    found.push({
      ...rest,
      tokens: [...unpaused(main), ...front],
      negations: negations.map((negation) => ({ ...negation, at: negation.at - end })),
    })
  }
  return found
}

/** Whether the main part is one clause with all that belongs to it: not "in Go tabs in Python spaces". */
function canStandFirst([first, ...front]: readonly Token[], [start, ...main]: readonly Token[]): boolean {
  if (first === undefined || start?.link !== false) return false
  if ([...front, ...main].some((token) => token.paused)) return false
  return !main.some((token) => token.link && compareTokens(token, first).is === "equal")
}

function unpaused([first, ...more]: readonly Token[]): Token[] {
  return first === undefined ? [] : [{ ...first, paused: false }, ...more]
}

/** "Omar is the tech lead", "the tech lead is Omar". */
function turnedRound(tokens: readonly Token[]): Token[][] {
  const at = tokens.findIndex((token) => token.afterBe)
  if (at === -1) return []
  const [subject, name] = [tokens.slice(0, at), tokens.slice(at)]
  const [head, ...more] = name
  const [start, ...others] = subject
  if (head === undefined || start === undefined || isParticiple(head)) return []
  if (more.some((token) => token.afterBe) || tokens.some((token) => token.link || token.paused)) return []
  if (![subject.at(-1), name.at(-1)].some((token) => token !== undefined && attributes.has(token.key)))
    return []
  return [[{ ...head, afterBe: false }, ...more, { ...start, afterBe: true }, ...others]]
}

const longestSubject = 5

/** "The site is hosted on Netlify", "we host the site on Netlify". */
function doneByUs(tokens: readonly Token[]): Token[][] {
  const at = tokens.findIndex((token) => token.afterBe)
  const verb = tokens[at]
  const subject = tokens.slice(0, Math.max(0, at))
  if (verb === undefined || !isParticiple(verb) || subject.length === 0) return []
  if (subject.length > longestSubject || subject.some((token) => token.link)) return []
  return [[{ ...verb, afterBe: false, isRewritten: true }, ...subject, ...tokens.slice(at + 1)]]
}

/** "the output of the build" is the build output, "retried automatically" is automatically retried. */
function describedFirst(tokens: readonly Token[]): Token[][] {
  const found: Token[][] = []
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1]
    if (before === undefined || before.link || token.link) continue
    const isAdverb = isManner(token) && !token.paused && !isManner(before)
    if (!token.describesBack && !isAdverb) continue
    const first = { ...token, paused: false, describesBack: false, afterBe: before.afterBe }
    const described = { ...before, describesBack: false }
    found.push([...tokens.slice(0, at - 1), first, described, ...tokens.slice(at + 1)])
  }
  return found
}

function isParticiple(token: Token): boolean {
  return (
    token.form === "word" && /(?:ed|en|t|d|n)$/i.test(token.text) && token.key !== token.text.toLowerCase()
  )
}

function isManner({ key, form }: Token): boolean {
  return form === "word" && /.{3}ly$/.test(key) && !noManner.has(key)
}

const noManner = new Set(
  "early daily weekly monthly hourly yearly nightly quarterly likely apply reply supply family assembly multiply comply friendly lonely elderly".split(
    " ",
  ),
)
