import type { Token } from "../read/token.ts"
import { compareTokens, type Match } from "./compare-tokens.ts"

/** One position of two aligned sentences; at a gap one of them has nothing. */
export type Step = { a: Token; b: Token; match: Match } | { a: Token; b?: never } | { a?: never; b: Token }

/** Larger tables are not aligned: such texts are documents. */
const mostCells = 40_000

/** The parts of two sentences between their equal beginnings and ends. */
export interface Middle {
  /** The number of equal tokens at the beginning, and at the end. */
  start: number
  end: number
  a: readonly Token[]
  b: readonly Token[]
}

export function middleOf(a: readonly Token[], b: readonly Token[]): Middle {
  let start = 0
  while (start < a.length && start < b.length && isEqual(a[start], b[start])) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && isEqual(a.at(-1 - end), b.at(-1 - end))) end += 1
  return { start, end, a: a.slice(start, a.length - end), b: b.slice(start, b.length - end) }
}

/** Whether the table is small enough to align. */
export function canAlign({ a, b }: Middle): boolean {
  return a.length === 0 || b.length === 0 || a.length * b.length <= mostCells
}

/** Aligns two sentences so that most tokens are equal. */
export function align(a: readonly Token[], b: readonly Token[], middle: Middle): Step[] {
  const { start, end } = middle
  return [
    ...pairs(a.slice(0, start), b.slice(0, start)),
    ...alignMiddle(middle.a, middle.b),
    ...pairs(a.slice(a.length - end), b.slice(b.length - end)),
  ]
}

function isEqual(a: Token | undefined, b: Token | undefined): boolean {
  return a !== undefined && b !== undefined && compareTokens(a, b).is === "equal"
}

/** Two runs of equal tokens. */
function pairs(a: readonly Token[], b: readonly Token[]): Step[] {
  return a.flatMap((first, at) => {
    const second = b[at]
    return second === undefined ? [] : [{ a: first, b: second, match: { is: "equal" } }]
  })
}

/** The best path through the table of all positions (Needleman–Wunsch). */
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
