import type { Lexicon } from "../../model/words/word-index.ts"
import type { Asked } from "../asked.ts"
import type { Candidate, Pool } from "../pool.ts"
import { tellsTime, timeGain } from "../time-cues.ts"
import { type LateInteraction, lend, type Met } from "./late-interaction.ts"
import { type Bm25, type Counted, createBm25, together } from "./lexical.ts"
import type { Recipe } from "./recipe.ts"

/** A candidate with everything ranking found out about it. */
export interface Ranked {
  candidate: Candidate
  score: number
  /** How far it stands behind its score, for others to come first. */
  setBack: number
  features: Features
  /** What the trained model says of whether it answers, as a logarithm of odds; undefined if it was not asked. */
  answers?: number
}

/**
 * Each between 0 and about 1 within one question, as far as the best of a question is 1. `met`, `covered` and those that are
 * `raw` compare between questions and stores too: faint evidence stays faint.
 */
export interface Features {
  words: number
  near: number
  around: number
  session: number
  previous: number
  meaning: number
  nextMeaning: number
  previousMeaning: number
  date: number
  speaker: number
  time: number
  question: number
  pieces: number
  piecesAround: number
  piecesInSession: number
  /** Share of the question that the memory's pieces meet; of its telling words that stand in or around it. */
  met: number
  metAround: number
  covered: number
  coveredBySession: number
  /** How well the words of the question that are met best are met: a long message need not be met as a whole. */
  metMost: number
  /** The cosine, as the default model would have it, and the score of the words as they are. */
  rawMeaning: number
  rawWords: number
  /** What its session as a whole has of the question's words and how near it is in meaning; see gist.ts. */
  sessionWords: number
  sessionMeaning: number
}

/** What features count. */
export type FeatureWeights = Partial<Record<keyof Features, number>>

/** What the default model's cosine would be where a model has this one. */
export interface StandardCosine {
  factor: number
  constant: number
}

/** So far apart lie the nearest and the farthest of a question, as a rule, for the default model. */
const usualRange = 0.5

/**
 * Ranks a pool by everything that is cheap; best first. Where nobody knows what a model's cosines mean, the nearest and the
 * farthest tell.
 */
export function rankFirst(
  recipe: Recipe,
  asked: Asked,
  lexicon: Lexicon,
  pool: Pool,
  cosines: StandardCosine | undefined,
): Ranked[] {
  const bm25 = createBm25(asked.terms, lexicon, recipe.bm25)
  const view = new PoolView(pool, bm25)
  const speaker = namedSpeaker(asked, pool)
  const ranked = Array.from(pool.values(), (candidate) => ({
    candidate,
    score: 0,
    setBack: 0,
    features: firstFeatures(view, asked, bm25, speaker, candidate),
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

/** Adds how the memories' word pieces meet the question, where their vectors are known. */
export function addPieces(
  recipe: Recipe,
  late: LateInteraction,
  pool: Pool,
  list: readonly Ranked[],
  codes: ReadonlyMap<string, Int8Array>,
): void {
  const met = late.meet([...codes.values()])
  const byId = new Map([...codes.keys()].map((id, index) => [id, met[index] ?? new Float32Array()]))
  const sessions = metBySession(pool, byId)
  for (const { candidate, features } of list) {
    const own = byId.get(candidate.id)
    if (own === undefined) continue
    features.met = late.share(own)
    features.pieces = features.met
    features.metMost = late.most(own)
    features.metAround = late.share(lend(own, lenders(recipe, candidate, pool, byId)))
    features.piecesAround = features.metAround
    features.piecesInSession = late.share(sessions.get(candidate.session ?? candidate.id) ?? own)
  }
  estimatePieces(list, byId)
  scaleToRange(list, ["pieces", "piecesAround", "piecesInSession"])
}

/** A memory whose vectors are still to come is taken to meet what its words cover, as well as the best of the others. */
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

/** How each session as a whole meets the question. */
function metBySession(pool: Pool, met: ReadonlyMap<string, Met>): Map<string, Met> {
  const sessions = new Map<string, Met>()
  for (const { id, session } of pool.values()) {
    const own = met.get(id)
    if (session === null || own === undefined) continue
    sessions.set(session, lend(sessions.get(session) ?? own, [{ met: own, share: 1 }]))
  }
  return sessions
}

function lenders(
  { lent }: Recipe,
  candidate: Candidate,
  pool: Pool,
  met: ReadonlyMap<string, Met>,
): { met: Met; share: number }[] {
  return lent.near.flatMap((share, distance) =>
    [-distance - 1, distance + 1].flatMap((step) => {
      const other = pool.beside(candidate, step)
      const its = other && met.get(other.id)
      return its ? [{ met: its, share: step === -1 && other.isQuestion ? lent.question : share }] : []
    }),
  )
}

/** A pool with the asked words counted: in each memory, in what stands around it, in its session as a whole. */
class PoolView {
  readonly #pool: Pool
  readonly #counted = new Map<Candidate, Counted>()
  readonly #sessions = new Map<string, Counted>()

  constructor(pool: Pool, bm25: Bm25) {
    this.#pool = pool
    const sessions = new Map<string, Counted[]>()
    for (const candidate of pool.values()) {
      const counted = bm25.count(candidate.terms)
      this.#counted.set(candidate, counted)
      if (candidate.session === null) continue
      const members = sessions.get(candidate.session)
      if (members) members.push(counted)
      else sessions.set(candidate.session, [counted])
    }
    for (const [session, members] of sessions) this.#sessions.set(session, together(members))
  }

  counted(candidate: Candidate): Counted {
    return this.#counted.get(candidate) ?? { counts: new Float32Array(), words: 0 }
  }

  session({ session }: Candidate): Counted | undefined {
    return session === null ? undefined : this.#sessions.get(session)
  }

  beside(candidate: Candidate, step: number): Candidate | undefined {
    return this.#pool.beside(candidate, step)
  }

  /** What was counted of a candidate, and of those that many messages before and after it, as one text. */
  widened(candidate: Candidate, own: Counted, distance: number): Counted {
    const before = this.#pool.beside(candidate, -distance)
    const after = this.#pool.beside(candidate, distance)
    if (before === undefined && after === undefined) return own
    const members = [own]
    if (before) members.push(this.counted(before))
    if (after) members.push(this.counted(after))
    return together(members)
  }
}

function firstFeatures(
  view: PoolView,
  asked: Asked,
  bm25: Bm25,
  speaker: string | undefined,
  candidate: Candidate,
): Features {
  const own = view.counted(candidate)
  const session = view.session(candidate)
  const near = view.widened(candidate, own, 1)
  const around = view.widened(candidate, near, 2)
  const previous = view.beside(candidate, -1)
  const next = view.beside(candidate, 1)
  return {
    words: bm25.score(own),
    near: bm25.score(near),
    around: bm25.score(around),
    session: session ? bm25.score(session) : bm25.score(own),
    previous: previous ? bm25.score(view.counted(previous)) : 0,
    meaning: candidate.cosine ?? Number.NaN,
    nextMeaning: next?.cosine ?? Number.NaN,
    previousMeaning: previous?.cosine ?? Number.NaN,
    date: timeGain(asked.times, candidate.createdAt),
    speaker: speaker !== undefined && candidate.speaker === speaker ? 1 : 0,
    time: asked.asksWhen && tellsTime(candidate.terms) ? 1 : 0,
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

/** The share of the question's telling words, weighted by rarity, that a text has. */
function coverage({ rarity }: Bm25, { counts }: Counted): number {
  let all = 0
  let there = 0
  for (let index = 0; index < rarity.length; index += 1) {
    const weight = rarity[index] ?? 0
    all += weight
    if ((counts[index] ?? 0) > 0) there += weight
  }
  return all === 0 ? 0 : there / all
}

/** The speaker whom the question names, if it names exactly one of those who speak in the pool. */
export function namedSpeaker(asked: Asked, pool: Pool): string | undefined {
  const speakers = new Set<string>()
  for (const { speaker } of pool.values()) if (speaker) speakers.add(speaker)
  const named = [...speakers].filter((speaker) => speaker.split(" ").some((part) => asked.all.has(part)))
  return named.length === 1 ? named[0] : undefined
}

function weighted(features: Features, weights: readonly [keyof Features, number][]): number {
  let sum = 0
  for (const [name, weight] of weights) sum += weight * features[name]
  return sum
}

/** What no search found is no nearer than the least near that was found; where nothing was, nothing is near. */
function fillWithLeast(list: readonly Ranked[], name: keyof Features): void {
  let least = Number.POSITIVE_INFINITY
  for (const { features } of list) if (features[name] < least) least = features[name]
  const filling = Number.isFinite(least) ? least : 0
  for (const { features } of list) if (Number.isNaN(features[name])) features[name] = filling
}

/** Makes the highest value 1. */
export function scaleByMost(list: readonly Ranked[], names: readonly (keyof Features)[]): void {
  for (const name of names) {
    let most = 0
    for (const { features } of list) most = Math.max(most, features[name])
    if (most > 0) for (const { features } of list) features[name] /= most
  }
}

/** Spreads values from 0 to 1; unknown ones (NaN) count as the lowest. */
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
