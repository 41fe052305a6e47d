/**
 * Scaled to 0 to 1 within one query, so that the best candidate has 1. `met…`, `covered…` and `raw…` are not scaled: they
 * are comparable between queries and stores.
 */
export interface Features {
  /** BM25 of the memory, with its direct neighbours, with two neighbours on each side, of its session, of the message before. */
  words: number
  near: number
  around: number
  session: number
  previous: number
  /** The cosine of the memory, the next and the previous message. */
  meaning: number
  nextMeaning: number
  previousMeaning: number
  /** Whether it fits a time, and a speaker, that the query names. */
  date: number
  speaker: number
  /** 1 for a memory that names a time, if the query asks for one. */
  time: number
  /** 1 for a memory that is itself a question, which is rarely an answer. */
  question: number
  /** The scaled share of the query that word pieces of the memory, with its neighbours, and of its session match. */
  pieces: number
  piecesAround: number
  piecesInSession: number
  /** The unscaled share that pieces match: of the memory, and with its neighbours. */
  met: number
  metAround: number
  /** The share of the query's words, weighted by rarity, in the memory and its neighbours, and in its session. */
  covered: number
  coveredBySession: number
  /** The match of the best matched words only: a memory need not match all of a long query. */
  metMost: number
  /** The cosine converted to the default model's, and the unscaled BM25. */
  rawMeaning: number
  rawWords: number
  /** The BM25 and the closeness of its stretch as a whole; see gist.ts. */
  sessionWords: number
  sessionMeaning: number
}

export type FeatureWeights = Partial<Record<keyof Features, number>>
