import { wordsIn, wordsOf } from "../../storage/search.ts"
import { type Term, termOf } from "../terms.ts"
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
