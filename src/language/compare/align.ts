import type { Token } from "../read/token.ts"
import { compareTokens, type Match } from "./compare-tokens.ts"

/** One position of two sentences laid side by side; at a gap one of them has nothing there. */
export type Step = { a: Token; b: Token; match: Match } | { a: Token; b?: never } | { a?: never; b: Token }

/** More positions than this are not laid side by side: texts that long are documents, not statements. */
const mostCells = 40_000

/** What two sentences have between what is equal at their beginnings and at their ends. */
export interface Middle {
  /** How many tokens are equal at the beginning, and at the end. */
  start: number
  end: number
  a: readonly Token[]
  b: readonly Token[]
}

/** Finds where two sentences begin and stop to differ. */
export function middleOf(a: readonly Token[], b: readonly Token[]): Middle {
  let start = 0
  while (start < a.length && start < b.length && isEqual(a[start], b[start])) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && isEqual(a.at(-1 - end), b.at(-1 - end))) end += 1
  return { start, end, a: a.slice(start, a.length - end), b: b.slice(start, b.length - end) }
}

/** Whether the positions are few enough to be laid side by side. */
export function canAlign({ a, b }: Middle): boolean {
  return a.length === 0 || b.length === 0 || a.length * b.length <= mostCells
}

/** Lays two sentences side by side so that most is equal. */
export function align(a: readonly Token[], b: readonly Token[], middle: Middle): Step[] {
  const { start, end } = middle
  const steps = alignMiddle(middle.a, middle.b)
  return [...pairs(a, b, 0, 0, start), ...steps, ...pairs(a, b, a.length - end, b.length - end, end)]
}

function isEqual(a: Token | undefined, b: Token | undefined): boolean {
  return a !== undefined && b !== undefined && compareTokens(a, b).is === "equal"
}

function pairs(
  a: readonly Token[],
  b: readonly Token[],
  fromA: number,
  fromB: number,
  length: number,
): Step[] {
  const steps: Step[] = []
  for (let at = 0; at < length; at += 1) {
    const first = a[fromA + at]
    const second = b[fromB + at]
    if (first !== undefined && second !== undefined) {
      steps.push({ a: first, b: second, match: { is: "equal" } })
    }
  }
  return steps
}

/** The best path through the table of all positions (Needleman and Wunsch). */
function alignMiddle(a: readonly Token[], b: readonly Token[]): Step[] {
  if (a.length === 0) return b.map((token) => ({ b: token }))
  if (b.length === 0) return a.map((token) => ({ a: token }))
  const matches = a.map((first) => b.map((second) => compareTokens(first, second)))
  const scores = fillScores(a, b, matches)
  return walkBack(a, b, matches, scores)
}

function fillScores(a: readonly Token[], b: readonly Token[], matches: readonly Match[][]): Float64Array[] {
  const width = b.length + 1
  const first = new Float64Array(width)
  for (let j = 1; j < width; j += 1) first[j] = (first[j - 1] ?? 0) + gapScore(b[j - 1])
  const rows = [first]
  for (const [i, token] of a.entries()) {
    const above = rows[i] ?? first
    const row = new Float64Array(width)
    row[0] = (above[0] ?? 0) + gapScore(token)
    for (let j = 1; j < width; j += 1) {
      row[j] = Math.max(
        (above[j - 1] ?? 0) + pairScore(token, b[j - 1], matches[i]?.[j - 1]),
        (above[j] ?? 0) + gapScore(token),
        (row[j - 1] ?? 0) + gapScore(b[j - 1]),
      )
    }
    rows.push(row)
  }
  return rows
}

function walkBack(
  a: readonly Token[],
  b: readonly Token[],
  matches: readonly Match[][],
  scores: readonly Float64Array[],
): Step[] {
  const steps: Step[] = []
  let i = a.length
  let j = b.length
  while (i > 0 || j > 0) {
    const here = scores[i]?.[j] ?? 0
    const [first, second, match] = [a[i - 1], b[j - 1], matches[i - 1]?.[j - 1]]
    const diagonal = (scores[i - 1]?.[j - 1] ?? Number.NEGATIVE_INFINITY) + pairScore(first, second, match)
    if (first !== undefined && second !== undefined && match !== undefined && here === diagonal) {
      steps.push({ a: first, b: second, match })
      i -= 1
      j -= 1
    } else if (first !== undefined && here === (scores[i - 1]?.[j] ?? 0) + gapScore(first)) {
      steps.push({ a: first })
      i -= 1
    } else {
      if (second !== undefined) steps.push({ b: second })
      j -= 1
    }
  }
  return steps.reverse()
}

function gapScore(token: Token | undefined): number {
  return token?.link === true ? -0.5 : -1
}

function pairScore(a: Token | undefined, b: Token | undefined, match: Match | undefined): number {
  if (a === undefined || b === undefined || match === undefined) return Number.NEGATIVE_INFINITY
  if (match.is === "equal") return a.link ? 2 : 4
  if (match.is === "other") return a.link === b.link ? -1 : -3
  return a.link !== b.link ? 0 : 2
}
