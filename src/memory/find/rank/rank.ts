import type { Lexicon } from "../../model/words/word-index.ts"
import type { Candidate, Pool } from "../pool.ts"
import type { Query } from "../query.ts"
import { tellsTime, timeGain } from "../time-cues.ts"
import type { Features, FeatureWeights } from "./features.ts"
import { borrowMatches, type LateInteraction, type PieceMatches } from "./late-interaction.ts"
import { type Bm25, createBm25, sumCounts, type TermCounts } from "./lexical.ts"
import type { Recipe } from "./recipe.ts"

/** A candidate with its features. */
export interface Ranked {
  candidate: Candidate
  score: number
  /** Subtracted from the score for the order only, so that other sessions come first. */
  setBack: number
  features: Features
  /** The trained model's log-odds that it answers; undefined if it was not judged. */
  answers?: number
}

/** Converts a model's cosine to the default model's: `factor * cosine + constant`. */
export interface StandardCosine {
  factor: number
  constant: number
}

/** The typical difference between the highest and the lowest cosine of a query, for the default model. */
const usualRange = 0.5

/**
 * Ranks a pool by the features that are cheap to compute, best first. Without `cosines`, the cosines are scaled to their
 * own range.
 */
export function rankFirst(
  recipe: Recipe,
  query: Query,
  lexicon: Lexicon,
  pool: Pool,
  cosines: StandardCosine | undefined,
): Ranked[] {
  const bm25 = createBm25(query.terms, lexicon, recipe.bm25)
  const view = new PoolView(pool, bm25)
  const speaker = namedSpeaker(query, pool)
  const ranked = Array.from(pool.values(), (candidate) => ({
    candidate,
    score: 0,
    setBack: 0,
    features: firstFeatures(view, query, bm25, speaker, candidate),
  }))
  scaleByMost(ranked, ["words", "near", "around", "session", "previous"])
  scaleToRange(ranked, ["meaning", "nextMeaning", "previousMeaning"])
  if (cosines) fillWithLeast(ranked, "rawMeaning")
  for (const { features } of ranked) {
    const { rawMeaning, meaning } = features
    features.rawMeaning = cosines ? cosines.factor * rawMeaning + cosines.constant : usualRange * meaning
  }
  return rankBy(recipe.first, ranked)
}

/** Ranks by these weights, best first. */
export function rankBy(weights: FeatureWeights, list: readonly Ranked[]): Ranked[] {
  const entries = Object.entries(weights) as [keyof Features, number][]
  const ranked = list.map((one) => ({ ...one, score: weighted(one.features, entries) }))
  return ranked.sort((a, b) => b.score - a.score || (a.candidate.id < b.candidate.id ? -1 : 1))
}

/** Adds the features of late interaction; estimates them for memories without word-piece vectors. */
export function addPieces(
  recipe: Recipe,
  late: LateInteraction,
  pool: Pool,
  list: readonly Ranked[],
  codes: ReadonlyMap<string, Int8Array>,
): void {
  const matches = late.match([...codes.values()])
  const byId = new Map([...codes.keys()].map((id, index) => [id, matches[index] ?? new Float32Array()]))
  const sessions = matchesBySession(pool, byId)
  for (const { candidate, features } of list) {
    const own = byId.get(candidate.id)
    if (own === undefined) continue
    features.met = late.share(own)
    features.pieces = features.met
    features.metMost = late.most(own)
    features.metAround = late.share(borrowMatches(own, neighbourMatches(recipe, candidate, pool, byId)))
    features.piecesAround = features.metAround
    features.piecesInSession = late.share(sessions.get(candidate.session ?? candidate.id) ?? own)
  }
  estimatePieces(list, byId)
  scaleToRange(list, ["pieces", "piecesAround", "piecesInSession"])
}

/** Assumes that a memory without vectors matches the words it contains as well as the best of the others. */
function estimatePieces(list: readonly Ranked[], known: ReadonlyMap<string, unknown>): void {
  const best = (name: keyof Features) =>
    Math.max(0, ...list.flatMap(({ candidate, features }) => (known.has(candidate.id) ? features[name] : [])))
  const [met, around, inSession] = [best("met"), best("metAround"), best("piecesInSession")]
  const [most, meaning] = [best("metMost"), best("rawMeaning")]
  for (const { candidate, features } of list) {
    if (known.has(candidate.id)) continue
    features.metMost = most * features.covered
    if (candidate.cosine === undefined) features.rawMeaning = meaning * features.covered
    features.met = met * features.covered
    features.pieces = features.met
    features.metAround = around * features.covered
    features.piecesAround = features.metAround
    features.piecesInSession = inSession * features.coveredBySession
  }
}

/** The best matches within each session. */
function matchesBySession(pool: Pool, byId: ReadonlyMap<string, PieceMatches>): Map<string, PieceMatches> {
  const sessions = new Map<string, PieceMatches>()
  for (const { id, session } of pool.values()) {
    const own = byId.get(id)
    if (session === null || own === undefined) continue
    sessions.set(session, borrowMatches(sessions.get(session) ?? own, [{ matches: own, share: 1 }]))
  }
  return sessions
}

function neighbourMatches(
  { lent }: Recipe,
  candidate: Candidate,
  pool: Pool,
  byId: ReadonlyMap<string, PieceMatches>,
): { matches: PieceMatches; share: number }[] {
  return lent.near.flatMap((share, distance) =>
    [-distance - 1, distance + 1].flatMap((step) => {
      const other = pool.neighbour(candidate, step)
      const matches = other && byId.get(other.id)
      return matches ? [{ matches, share: step === -1 && other.isQuestion ? lent.question : share }] : []
    }),
  )
}

/** A pool with the query's words counted: in each memory, with its neighbours, and in its session. */
class PoolView {
  readonly pool: Pool
  readonly #counted = new Map<Candidate, TermCounts>()
  readonly #sessions = new Map<string, TermCounts>()

  constructor(pool: Pool, bm25: Bm25) {
    this.pool = pool
    for (const candidate of pool.values()) this.#counted.set(candidate, bm25.count(candidate.terms))
    for (const [session, members] of Map.groupBy(pool.values(), ({ session }) => session))
      if (session !== null)
        this.#sessions.set(session, sumCounts(members.map((member) => this.counted(member))))
  }

  counted(candidate: Candidate): TermCounts {
    return this.#counted.get(candidate) ?? { counts: new Float32Array(), words: 0 }
  }

  session({ session }: Candidate): TermCounts | undefined {
    return session === null ? undefined : this.#sessions.get(session)
  }

  /** A candidate's counts, with those of its neighbours at this distance. */
  widened(candidate: Candidate, own: TermCounts, distance: number): TermCounts {
    const sides = [-distance, distance].flatMap((step) => this.pool.neighbour(candidate, step) ?? [])
    return sides.length === 0 ? own : sumCounts([own, ...sides.map((side) => this.counted(side))])
  }
}

function firstFeatures(
  view: PoolView,
  query: Query,
  bm25: Bm25,
  speaker: string | undefined,
  candidate: Candidate,
): Features {
  const own = view.counted(candidate)
  const session = view.session(candidate)
  const near = view.widened(candidate, own, 1)
  const around = view.widened(candidate, near, 2)
  const previous = view.pool.neighbour(candidate, -1)
  const next = view.pool.neighbour(candidate, 1)
  return {
    words: bm25.score(own),
    near: bm25.score(near),
    around: bm25.score(around),
    session: session ? bm25.score(session) : bm25.score(own),
    previous: previous ? bm25.score(view.counted(previous)) : 0,
    meaning: candidate.cosine ?? Number.NaN,
    nextMeaning: next?.cosine ?? Number.NaN,
    previousMeaning: previous?.cosine ?? Number.NaN,
    date: timeGain(query.times, candidate.createdAt),
    speaker: speaker !== undefined && candidate.speaker === speaker ? 1 : 0,
    time: query.asksWhen && tellsTime(candidate.terms) ? 1 : 0,
    question: candidate.isQuestion ? 1 : 0,
    pieces: 0,
    piecesAround: 0,
    piecesInSession: 0,
    met: 0,
    metAround: 0,
    covered: coverage(bm25, around),
    coveredBySession: coverage(bm25, session ?? own),
    metMost: 0,
    rawMeaning: candidate.cosine ?? Number.NaN,
    rawWords: bm25.score(own),
    sessionWords: 0,
    sessionMeaning: 0,
  }
}

/** The share of the query's words, weighted by rarity, that a text contains. */
function coverage({ rarity }: Bm25, { counts }: TermCounts): number {
  let all = 0
  let present = 0
  for (let index = 0; index < rarity.length; index += 1) {
    const weight = rarity[index] ?? 0
    all += weight
    if ((counts[index] ?? 0) > 0) present += weight
  }
  return all === 0 ? 0 : present / all
}

/** The speaker whom the query names, if it names exactly one of the speakers in the pool. */
export function namedSpeaker(query: Query, pool: Pool): string | undefined {
  const speakers = new Set<string>()
  for (const { speaker } of pool.values()) if (speaker) speakers.add(speaker)
  const named = [...speakers].filter((speaker) => speaker.split(" ").some((part) => query.all.has(part)))
  return named.length === 1 ? named[0] : undefined
}

function weighted(features: Features, weights: readonly [keyof Features, number][]): number {
  let sum = 0
  for (const [name, weight] of weights) sum += weight * features[name]
  return sum
}

/** Replaces unknown values (NaN) by the lowest known one, or by 0. */
function fillWithLeast(list: readonly Ranked[], name: keyof Features): void {
  let least = Number.POSITIVE_INFINITY
  for (const { features } of list) if (features[name] < least) least = features[name]
  const filling = Number.isFinite(least) ? least : 0
  for (const { features } of list) if (Number.isNaN(features[name])) features[name] = filling
}

/** Scales values so that the highest is 1. */
export function scaleByMost(list: readonly Ranked[], names: readonly (keyof Features)[]): void {
  for (const name of names) {
    let most = 0
    for (const { features } of list) most = Math.max(most, features[name])
    if (most > 0) for (const { features } of list) features[name] /= most
  }
}

/** Scales values to the range 0 to 1; unknown ones (NaN) become 0. */
export function scaleToRange(list: readonly Ranked[], names: readonly (keyof Features)[]): void {
  for (const name of names) {
    let least = Number.POSITIVE_INFINITY
    let most = Number.NEGATIVE_INFINITY
    for (const { features } of list) {
      const value = features[name]
      if (value < least) least = value
      if (value > most) most = value
    }
    const range = most - least
    for (const { features } of list) {
      const value = features[name]
      features[name] = Number.isNaN(value) || !(range > 0) ? 0 : (value - least) / range
    }
  }
}
