import { stemmer } from "stemmer"
import { indexTerms, stopWords } from "../storage/search.ts"

/** The hash of a word's stem. A collision is rare and only makes a rank slightly worse. */
export type Term = number

const stems = new Map<string, Term>()
const stemsKept = 50_000

/** The term of a lower-case word. */
export function termOf(word: string): Term {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= stemsKept) stems.clear()
  const term = hashOf(/^[a-z]+$/.test(word) ? stemmer(word) : word)
  stems.set(word, term)
  return term
}

/** The terms of a text in order, with repetitions, without stop words. */
export function termsOf(text: string): Uint32Array {
  const terms: Term[] = []
  for (const word of indexTerms(text)) if (!stopWords.has(word)) terms.push(termOf(word))
  return Uint32Array.from(terms)
}

/** The hash of a text: FNV-1a over its code units. */
export function hashOf(text: string): Term {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value >>> 0
}
