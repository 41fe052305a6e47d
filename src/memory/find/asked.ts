import { type Term, termOf } from "../../language/terms.ts"
import { wordsIn, wordsOf } from "../../storage/search.ts"
import { type TimeCue, timeCues } from "./time-cues.ts"

/** A question as retrieval reads it. */
export interface Asked {
  text: string
  /** The words to look for, each once. */
  words: readonly string[]
  /** Their numbers, in the same order. */
  terms: readonly Term[]
  /** Every word of it, lower case. */
  all: ReadonlySet<string>
  times: readonly TimeCue[]
  /** It asks for a time. */
  asksWhen: boolean
}

const whenPattern = /^\W*(when|since when|how long ago)\b|\b(what|which) (day|date|month|year|time)\b/i

/** The question as it is meant, where these words of it are mistyped; what stands around them stays as it was asked. */
export function respelled(asked: Asked, meant: ReadonlyMap<string, string>): Asked {
  if (meant.size === 0) return asked
  const words = [...new Set(asked.words.map((word) => meant.get(word) ?? word))]
  return { ...asked, words, terms: words.map(termOf) }
}

/** Reads a question that is asked at this time. */
export function readAsked(text: string, now: number): Asked {
  const words = wordsOf(text)
  return {
    text,
    words,
    terms: words.map(termOf),
    all: new Set(wordsIn(text)),
    times: timeCues(text, now),
    asksWhen: whenPattern.test(text),
  }
}
