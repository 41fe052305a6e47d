import type { Features } from "./features.ts"

type Weights<Name extends keyof Features> = Readonly<Record<Name, number>>

/**
 * The weights of all parts of retrieval. The product and the benchmarks use the same recipe; a weight of 0 disables a part.
 * docs/retrieval.md has the measurements behind the numbers.
 */
export interface Recipe {
  /** The minimum number of candidates of each search; a larger limit raises it. */
  candidates: number
  /** The minimum length of the short list; a larger limit raises it. */
  shortList: number
  bm25: { k1: number; b: number }
  /** The cheap ranking that makes the short list. */
  first: Weights<
    | "words"
    | "meaning"
    | "near"
    | "around"
    | "session"
    | "nextMeaning"
    | "previousMeaning"
    | "date"
    | "speaker"
  >
  /** The final ranking. */
  final: Weights<
    | "pieces"
    | "piecesAround"
    | "piecesInSession"
    | "meaning"
    | "words"
    | "around"
    | "previous"
    | "speaker"
    | "date"
    | "time"
    | "question"
  >
  /** Replaces words, meaning and pieces for single notes: unscaled values, so that weak matches stay weak. */
  notes: Weights<"rawMeaning" | "met" | "rawWords">
  gist: GistWeights
  /** The share of matches that neighbours one and two messages away add; and that a question adds to the next message. */
  lent: { near: readonly number[]; question: number }
  /** The exponent of the rarity in late interaction. */
  rarityPower: number
  priors: { confidence: number; strength: number; recency: number }
  cascade: { depth: number; decay: number; seeds: number; weight: number }
  /** Whether memories are found by their trigger patterns. */
  triggers: boolean
  /** Whether repeated statements are shown once. */
  diversity: boolean
}

/** A long query describes a situation: its gist counts, which whole sessions match better than single messages. */
interface GistWeights {
  /** The gist counts from this number of search words on, and fully from `to` on. */
  from: number
  to: number
  /** The factor on all other weights when the gist counts fully. */
  rest: number
  /** How many of the best stretches are read as a whole. */
  stretches: number
  bm25: { k1: number; b: number; rarityPower: number }
  sessionWords: number
  sessionMeaning: number
  /** How much each further message of a stretch is lowered. */
  spread: number
}

/** The recipe of the product. */
export const standardRecipe: Recipe = {
  candidates: 60,
  shortList: 80,
  bm25: { k1: 0.9, b: 0.3 },
  first: {
    words: 0.4,
    meaning: 0.8,
    near: 0.6,
    around: 0.2,
    session: 0.6,
    nextMeaning: 0.4,
    previousMeaning: 0.1,
    date: 0.3,
    speaker: 0.2,
  },
  final: {
    pieces: 0.1,
    piecesAround: 1.1,
    piecesInSession: 0.2,
    meaning: 0.1,
    words: 0.1,
    around: 0.6,
    previous: 0.2,
    speaker: 0.25,
    date: 0.8,
    time: 0.3,
    question: -0.3,
  },
  notes: { rawMeaning: 4, met: 1.6, rawWords: 0.05 },
  gist: {
    from: 11,
    to: 13,
    rest: 0.12,
    stretches: 40,
    bm25: { k1: 1.2, b: 0.75, rarityPower: 2 },
    sessionWords: 0.8,
    sessionMeaning: 1.6,
    spread: 1.2,
  },
  lent: { near: [0.6, 0.3], question: 0.9 },
  rarityPower: 0.8,
  priors: { confidence: 0.05, strength: 0.02, recency: 0.05 },
  cascade: { depth: 2, decay: 0.7, seeds: 10, weight: 0.5 },
  triggers: true,
  diversity: true,
}
