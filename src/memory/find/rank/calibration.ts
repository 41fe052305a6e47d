import type { Ranked } from "./rank.ts"

/** What a kind of retrieval is calibrated by, fitted once per embedding model; see docs/retrieval.md. */
export interface Calibration {
  /** Likeness of word pieces below this counts nothing. */
  piecesFloor: number
  answer: Line<AnswerSign>
  hit: Line<HitSign>
  /** How near the middle one of many is to a question, as a rule. */
  usual: number
  /** An answer less likely than this is none; where nobody asked, it has to be likelier. */
  abstainBelow: number
  unaskedBelow: number
  /** A hit less likely than this is left out, and one less likely than this share of the best. */
  leaveOutBelow: number
  leaveOutShare: number
}

/** Weights of a logistic regression. */
type Line<Sign extends string> = Readonly<Record<Sign | "constant", number>>

/** Signs that there is an answer at all. */
export type AnswerSign = "metAround" | "covered" | "cosine" | "speakerGap" | "usual"
/** Signs that one hit belongs to the answer. */
export type HitSign = "metAround" | "covered" | "cosine" | "behind" | "usual"

/** The signs of an answer: the best of its first few hits, and whether the one who is asked about said it. */
export function answerSigns(
  calibration: Calibration,
  ranked: readonly Ranked[],
  speaker: string | undefined,
): Record<AnswerSign, number> {
  const first = ranked.slice(0, 3)
  const most = (pick: (one: Ranked) => number) => Math.max(0, ...first.map(pick))
  return {
    metAround: most(({ features }) => features.metAround),
    covered: most(({ features }) => features.covered),
    cosine: most(({ candidate }) => candidate.cosine ?? 0),
    speakerGap: speaker === undefined ? 0 : speakerGap(ranked, speaker),
    usual: usualCosine(ranked, calibration),
  }
}

/** So many tell what is usual; where fewer are known, what is usual elsewhere fills them up. */
const fewestUsual = 30

/** How near the middle one of all that are near is: where everything is about the same people, nearness says less. */
export function usualCosine(ranked: readonly Ranked[], { usual }: Calibration): number {
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

/** The signs of one hit; `behind` is how far its score lies behind the best. */
export function hitSigns(
  { candidate, features, score }: Ranked,
  { best, usual }: { best: number; usual: number },
): Record<HitSign, number> {
  return {
    usual,
    metAround: features.metAround,
    covered: features.covered,
    cosine: candidate.cosine ?? 0,
    behind: best - score,
  }
}

/** How likely, 0 to 1. */
export function likelihood<Sign extends string>(line: Line<Sign>, signs: Record<Sign, number>): number {
  let sum = line.constant
  for (const [sign, value] of Object.entries(signs) as [Sign, number][]) sum += line[sign] * value
  return 1 / (1 + Math.exp(-sum))
}
