/**
 * What each part of retrieval counts for. One recipe serves product and benchmark; leaving a part out is a recipe with
 * zeros in it. The figures behind the numbers are in docs/retrieval.md.
 */
export interface Recipe {
  /** How many candidates each search gives at least; more where more are asked for. */
  candidates: number
  /** How many of the first ranking are looked at more closely, likewise. */
  shortList: number
  bm25: { k1: number; b: number }
  first: FirstWeights
  final: FinalWeights
  notes: NoteWeights
  gist: GistWeights
  /** What a neighbour one, and two, messages away lends of its own likeness; and a question to what follows it. */
  lent: { near: readonly number[]; question: number }
  /** Rarity counts with this power in late interaction. */
  rarityPower: number
  priors: { confidence: number; strength: number; recency: number }
  cascade: { depth: number; decay: number; seeds: number; weight: number }
  /** Memories that bring themselves up by a word in the question. */
  triggers: boolean
  /** A repeated statement in the results is shown once. */
  diversity: boolean
}

/** The cheap ranking that makes the short list. */
interface FirstWeights {
  words: number
  meaning: number
  /** The words of the memory and its direct neighbours, and of two on each side. */
  near: number
  around: number
  session: number
  /** How near in meaning the next and the previous message are. */
  nextMeaning: number
  previousMeaning: number
  date: number
  speaker: number
}

/** The ranking that counts. */
interface FinalWeights {
  /** Late interaction: each word piece of the question finds its likeliest in the memory, in it or near it, in its session. */
  pieces: number
  piecesAround: number
  piecesInSession: number
  meaning: number
  words: number
  around: number
  previous: number
  speaker: number
  date: number
  /** A memory that tells of a time, where the question asks for one. */
  time: number
  /** A memory that is itself a question; negative, for it seldom is an answer. */
  question: number
}

/**
 * What counts instead of words and meaning where what was found stands by itself, without messages around it: the
 * quantities as they are, so that one faint likeness does not count as much as a clear one.
 */
interface NoteWeights {
  rawMeaning: number
  met: number
  rawWords: number
}

/** Who asks at length tells a situation: its gist counts, which sessions as a whole meet better than single messages. */
interface GistWeights {
  /** From so many telling words on it counts, and wholly from so many. */
  from: number
  to: number
  /** What is left of all other weights when it counts wholly. */
  rest: number
  /** So many of the best stretches of sessions are looked at as a whole. */
  stretches: number
  bm25: { k1: number; b: number; rarityPower: number }
  sessionWords: number
  sessionMeaning: number
  /** How far each further message of a stretch is set back, so that others have room. */
  spread: number
}

/** What is used unless somebody measures something. */
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
