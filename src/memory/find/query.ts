import { type Term, termOf } from "../../language/terms.ts"
import { searchTerms, tokenize } from "../../storage/search.ts"
import { type TimeCue, timeCues } from "./time-cues.ts"

/** A parsed search query. */
export interface Query {
  text: string
  /** The words to search for, each once, without stop words. */
  words: readonly string[]
  /** The terms of `words`, in the same order. */
  terms: readonly Term[]
  /** All words in lower case. */
  all: ReadonlySet<string>
  times: readonly TimeCue[]
  /** Whether it asks for a time. */
  asksWhen: boolean
}

const whenPattern = /^\W*(when|since when|how long ago)\b|\b(what|which) (day|date|month|year|time)\b/i

/** The query with mistyped search words replaced; its text stays. */
export function withCorrections(query: Query, corrections: ReadonlyMap<string, string>): Query {
  const words = [...new Set(query.words.map((word) => corrections.get(word) ?? word))]
  return { ...query, words, terms: words.map(termOf) }
}

/** Parses a query; `now` is what relative times refer to. */
export function parseQuery(text: string, now: number): Query {
  const words = searchTerms(text)
  return {
    text,
    words,
    terms: words.map(termOf),
    all: new Set(tokenize(text)),
    times: timeCues(text, now),
    asksWhen: whenPattern.test(text),
  }
}
