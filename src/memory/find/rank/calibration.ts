import { dot } from "../../../base/vector.ts"
import type { Ranked } from "./rank.ts"

/** Turns scores into likelihoods; fitted once per embedding model, see docs/retrieval.md. */
export interface Calibration {
  /** A similarity of word pieces below this counts as 0. */
  piecesFloor: number
  answer: LogisticWeights<AnswerFeature>
  hit: LogisticWeights<HitFeature>
  /** The typical median cosine between a query and its candidates. */
  usual?: number
  /** What all queries and notes have in common, if closeness beyond it counts. */
  background?: Background
  /** An answer less likely than this is none; `unaskedBelow` applies where nobody asked. */
  abstainBelow: number
  unaskedBelow: number
  /** The same for hits that the trained model has judged. */
  judged?: Pick<Calibration, "answer" | "hit" | "abstainBelow" | "unaskedBelow">
  /** A hit is not sure below this likelihood, or below this share of the best hit's. */
  leaveOutBelow: number
  leaveOutShare: number
}

/** Weights of a logistic regression; a feature without a weight does not count. */
export type LogisticWeights<Sign extends string> = Readonly<
  Partial<Record<Sign, number>> & { constant: number }
>

type CommonFeature = "metAround" | "covered" | "cosine" | "usual" | "metMost" | "rawWords" | "answers"
/** Features that predict whether there is an answer at all. */
export type AnswerFeature = CommonFeature | "speakerGap" | "closeness" | "chance"
/** Features that predict whether one hit belongs to the answer. */
export type HitFeature = CommonFeature | "behind"

/**
 * What queries and notes of one embedding model have in common, whatever they are about: the mean of many queries, the mean
 * of many notes, and the direction of their largest variance, which is mostly their language.
 */
export interface Background {
  question: Float32Array
  note: Float32Array
  common: Float32Array
}

/**
 * The cosine of a query and a note without their common background, -1 to 1. A plain cosine is high for two texts that
 * only share their language or tone.
 */
export function closenessOf(background: Background, question: Float32Array, note: Float32Array): number {
  const a = withoutBackground(question, background.question, background.common)
  const b = withoutBackground(note, background.note, background.common)
  const lengths = Math.sqrt(dot(a, a) * dot(b, b))
  return lengths === 0 ? 0 : dot(a, b) / lengths
}

/** A vector minus a mean, and without its part along a direction of unit length. */
function withoutBackground(vector: Float32Array, mean: Float32Array, direction: Float32Array): Float32Array {
  const left = vector.map((value, index) => value - (mean[index] ?? 0))
  const along = dot(left, direction)
  return left.map((value, index) => value - along * (direction[index] ?? 0))
}

/** What is known about an answer besides its hits. */
interface AnswerContext {
  /** The speaker whom the query names. */
  speaker: string | undefined
  /** The closeness of the first few hits; see `closenessOf`. */
  closeness: readonly number[]
  /** The number of memories in the store. */
  memories: number
}

/** An answer's features are taken from this many of its first hits. */
export const hitsOfAnswer = 3

/** The features of an answer: the best of its first few hits, and those of its context. */
export function answerFeatures(
  calibration: Calibration,
  ranked: readonly Ranked[],
  { speaker, closeness, memories }: AnswerContext,
): Record<AnswerFeature, number> {
  const first = ranked.slice(0, hitsOfAnswer)
  const most = (pick: (one: Ranked) => number) => Math.max(0, ...first.map(pick))
  return {
    metAround: most(({ features }) => features.metAround),
    covered: most(({ features }) => features.covered),
    cosine: most(({ candidate }) => candidate.cosine ?? 0),
    speakerGap: speaker === undefined ? 0 : speakerGap(ranked, speaker),
    usual: usualCosine(ranked, calibration),
    closeness: Math.max(0, ...closeness),
    chance: chanceOf(memories),
    metMost: most(({ features }) => features.metMost),
    rawWords: most(({ features }) => features.rawWords),
    answers: Math.max(...ranked.map(({ answers = unjudged }) => answers), unjudged),
  }
}

/** The log-odds of hits that the trained model has not judged. */
const unjudged = -6

/** How far the best of this many random values lies above the mean: a large store has something near any query. */
function chanceOf(memories: number): number {
  return Math.sqrt(2 * Math.log(Math.max(1, memories)))
}

/** With fewer candidates than this, the calibration's typical value fills the sample. */
const minSample = 30

/** The median cosine of all candidates: where everything is about the same people, a high cosine says less. */
export function usualCosine(ranked: readonly Ranked[], { usual }: Calibration): number {
  if (usual === undefined) return 0
  const all = ranked.flatMap(({ candidate }) => candidate.cosine ?? [])
  while (all.length < minSample) all.push(usual)
  all.sort((a, b) => a - b)
  return all[Math.floor(all.length / 2)] ?? usual
}

/** How much better the best message of one speaker matches the query than the best of all others. */
function speakerGap(ranked: readonly Ranked[], speaker: string): number {
  let own = 0
  let others = 0
  for (const { candidate, features } of ranked) {
    if (candidate.speaker === speaker) own = Math.max(own, features.met)
    else others = Math.max(others, features.met)
  }
  return own - others
}

/**
 * The features of one hit; `behind` is the difference between the best score and its own.
 * @internal exported for training/gate.ts
 */
export function hitFeatures(
  { candidate, features, score, answers = unjudged }: Ranked,
  { best, usual }: { best: number; usual: number },
): Record<HitFeature, number> {
  return {
    usual,
    metAround: features.metAround,
    covered: features.covered,
    cosine: candidate.cosine ?? 0,
    behind: best - score,
    metMost: features.metMost,
    rawWords: features.rawWords,
    answers,
  }
}

/** How likely one hit belongs to the answer, 0 to 1; uses the trained model's judgement if there is one. */
export function hitLikelihood(
  { hit, judged }: Pick<Calibration, "hit" | "judged">,
  one: Ranked,
  among: { best: number; usual: number },
): number {
  const line = one.answers === undefined ? hit : (judged?.hit ?? hit)
  return likelihood(line, hitFeatures(one, among))
}

/** The logistic regression's likelihood, 0 to 1. */
export function likelihood<Feature extends string>(
  weights: LogisticWeights<Feature>,
  features: Partial<Record<Feature, number>>,
): number {
  let sum = weights.constant
  for (const [name, value] of Object.entries(features) as [Feature, number][])
    sum += ((weights[name] as number | undefined) ?? 0) * value
  return 1 / (1 + Math.exp(-sum))
}
