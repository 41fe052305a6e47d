import type { Embedded, TokenVectors } from "../src/embedding/embedder.ts"
import { relate } from "../src/language/compare/relate.ts"
import { takesThePlace } from "../src/language/compare/replacement.ts"
import { termsOf } from "../src/language/terms.ts"

/** A note with its vectors, word pieces included. */
export interface Note {
  text: string
  embedded: Embedded
}

/** What can be measured of an older and a newer note without judging: numbers that compare between pairs. */
export const pairFeatureNames = [
  "cosine",
  "sharedOfBoth",
  "sharedOfOlder",
  "sharedOfNewer",
  "metOlder",
  "metNewer",
  "leastMetOlder",
  "leastMetNewer",
  "unmetOlder",
  "unmetNewer",
  "numbersDiffer",
  "lengthRatio",
  "same",
  "contradicts",
  "replaces",
] as const

/** Word pieces at least this much alike mean the same here. */
const alike = 0.75

export function pairFeatures(older: Note, newer: Note): number[] {
  const [a, b] = [new Set(termsOf(older.text)), new Set(termsOf(newer.text))]
  const shared = [...a].filter((term) => b.has(term)).length
  const [back, forth] = [
    meet(older.embedded.tokens, newer.embedded.tokens),
    meet(newer.embedded.tokens, older.embedded.tokens),
  ]
  const relation = relate(older.text, newer.text)
  const opposes = relation.kind === "contradicts"
  return [
    dot(older.embedded.vector, newer.embedded.vector),
    shared / Math.max(1, a.size + b.size - shared),
    shared / Math.max(1, a.size),
    shared / Math.max(1, b.size),
    back.mean,
    forth.mean,
    back.least,
    forth.least,
    back.unmet,
    forth.unmet,
    numbersOf(older.text) === numbersOf(newer.text) ? 0 : 1,
    Math.log((newer.text.length + 1) / (older.text.length + 1)),
    relation.kind === "same" ? 1 : 0,
    opposes ? 1 : 0,
    opposes && takesThePlace(older.text, newer.text, relation.reason) ? 1 : 0,
  ]
}

function numbersOf(text: string): string {
  return (text.match(/\d+(?:[.,:]\d+)*/g) ?? []).sort().join(" ")
}

/** How well the pieces of one text are met by those of another. */
function meet(own: TokenVectors | undefined, others: TokenVectors | undefined) {
  const none = { mean: 0, least: 0, unmet: 1 }
  if (own === undefined || others === undefined || own.starts.length === 0) return none
  let [sum, least, unmet] = [0, 1, 0]
  for (let piece = 0; piece < own.starts.length; piece += 1) {
    let best = 0
    for (let other = 0; other < others.starts.length; other += 1) {
      best = Math.max(best, product(own, piece, others, other))
    }
    sum += best
    least = Math.min(least, best)
    if (best < alike) unmet += 1
  }
  return { mean: sum / own.starts.length, least, unmet: unmet / own.starts.length }
}

function product(a: TokenVectors, first: number, b: TokenVectors, second: number): number {
  let sum = 0
  const { dimensions } = a
  for (let at = 0; at < dimensions; at += 1) {
    sum += (a.codes[first * dimensions + at] ?? 0) * (b.codes[second * dimensions + at] ?? 0)
  }
  return sum / (127 * 127)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
