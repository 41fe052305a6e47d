import { stemmer } from "stemmer"
import { indexedWords, stopWords } from "../storage/search.ts"

/**
 * A word's number: the same for all forms of a word. Two words in some thousands of millions share one by accident,
 * which only makes a rank a little worse.
 */
export type Term = number

const stems = new Map<string, Term>()
const stemsKept = 50_000

/** The number of one lower-case word. */
export function termOf(word: string): Term {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= stemsKept) stems.clear()
  const term = hashOf(/^[a-z]+$/.test(word) ? stemmer(word) : word)
  stems.set(word, term)
  return term
}

/** The terms of a text in order, repeated as often as they occur, without words that say nothing. */
export function termsOf(text: string): Uint32Array {
  const terms: Term[] = []
  for (const word of indexedWords(text)) if (!stopWords.has(word)) terms.push(termOf(word))
  return Uint32Array.from(terms)
}

/** A text's number: FNV-1a over its code units. */
export function hashOf(text: string): Term {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value >>> 0
}
