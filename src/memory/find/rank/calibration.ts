import type { Background } from "./background.ts"
import type { Ranked } from "./rank.ts"

/** What a kind of retrieval is calibrated by, fitted once per embedding model; see docs/retrieval.md. */
export interface Calibration {
  /** Likeness of word pieces below this counts nothing. */
  piecesFloor: number
  answer: Line<AnswerSign>
  hit: Line<HitSign>
  /** How near the middle one of many is to a question, as a rule. */
  usual?: number
  /** What any question has in common with any note, where nearness beyond it counts. */
  background?: Background
  /** An answer less likely than this is none; where nobody asked, it has to be likelier. */
  abstainBelow: number
  unaskedBelow: number
  /** The same for hits of which the trained model said whether they answer. */
  judged?: Pick<Calibration, "answer" | "hit" | "abstainBelow" | "unaskedBelow">
  /** A hit less likely than this is left out, and one less likely than this share of the best. */
  leaveOutBelow: number
  leaveOutShare: number
}

/** Weights of a logistic regression; a sign without one counts nothing. */
export type Line<Sign extends string> = Readonly<Partial<Record<Sign, number>> & { constant: number }>

/** Signs that there is an answer at all. */
export type AnswerSign =
  | "metAround"
  | "covered"
  | "cosine"
  | "speakerGap"
  | "usual"
  | "closeness"
  | "chance"
  | "metMost"
  | "rawWords"
  | "answers"
/** Signs that one hit belongs to the answer. */
export type HitSign =
  | "metAround"
  | "covered"
  | "cosine"
  | "behind"
  | "usual"
  | "metMost"
  | "rawWords"
  | "answers"

/** What is known of an answer beside its hits. */
interface AnswerContext {
  /** The one whom the question names. */
  speaker: string | undefined
  /** How near the first few hits are to the question beyond what any note is. */
  closeness: readonly number[]
  /** Among how many memories they were found. */
  memories: number
}

/** The signs of an answer are those of its first few hits. */
export const hitsOfAnswer = 3

/**
 * The signs of an answer: the best of its first few hits, how near they are beyond what any note is, among how many, and
 * whether the one who is asked about said it.
 */
export function answerSigns(
  calibration: Calibration,
  ranked: readonly Ranked[],
  { speaker, closeness, memories }: AnswerContext,
): Record<AnswerSign, number> {
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
    answers: Math.max(...ranked.map(({ answers = never }) => answers), never),
  }
}

/** What stands for a hit of which nobody knows whether it answers, as a logarithm of odds. */
const never = -6

/** How far the best of so many lies above their middle by chance alone: in a large store something is near anything. */
function chanceOf(memories: number): number {
  return Math.sqrt(2 * Math.log(Math.max(1, memories)))
}

/** So many tell what is usual; where fewer are known, what is usual elsewhere fills them up. */
const fewestUsual = 30

/** How near the middle one of all that are near is: where everything is about the same people, nearness says less. */
export function usualCosine(ranked: readonly Ranked[], { usual }: Calibration): number {
  if (usual === undefined) return 0
  const all = ranked.flatMap(({ candidate }) => candidate.cosine ?? [])
  while (all.length < fewestUsual) all.push(usual)
  all.sort((a, b) => a - b)
  return all[Math.floor(all.length / 2)] ?? usual
}

/** How much better the best of one speaker meets the question than the best of all others. */
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
 * The signs of one hit; `behind` is how far its score lies behind the best.
 * @internal exported for training/gate.ts
 */
export function hitSigns(
  { candidate, features, score, answers = never }: Ranked,
  { best, usual }: { best: number; usual: number },
): Record<HitSign, number> {
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

/** How likely one hit belongs to the answer, 0 to 1: by what the trained model said of it, where it was asked. */
export function hitLikelihood(
  { hit, judged }: Pick<Calibration, "hit" | "judged">,
  one: Ranked,
  among: { best: number; usual: number },
): number {
  const line = one.answers === undefined ? hit : (judged?.hit ?? hit)
  return likelihood(line, hitSigns(one, among))
}

/** How likely, 0 to 1. */
export function likelihood<Sign extends string>(
  line: Line<Sign>,
  signs: Partial<Record<Sign, number>>,
): number {
  let sum = line.constant
  for (const [sign, value] of Object.entries(signs) as [Sign, number][])
    sum += ((line[sign] as number | undefined) ?? 0) * value
  return 1 / (1 + Math.exp(-sum))
}
