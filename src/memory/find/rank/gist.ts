import type { Asked } from "../asked.ts"
import type { Candidate } from "../pool.ts"
import type { Bm25 } from "./lexical.ts"
import { type FeatureWeights, type Ranked, scaleByMost, scaleToRange } from "./rank.ts"
import type { Recipe } from "./recipe.ts"
import type { ReadStretch, Stretch } from "./stretches.ts"

/** How far the gist of a question counts rather than its words, 0 to 1: the longer it is, the more. */
export function gistShare({ gist }: Recipe, { words }: Asked): number {
  return Math.min(1, Math.max(0, (words.length - gist.from) / (gist.to - gist.from)))
}

/** Weights for a question whose gist counts that far: sessions as a whole replace the rest. */
export function withGist({ gist }: Recipe, share: number, weights: FeatureWeights): FeatureWeights {
  const left = 1 - share * (1 - gist.rest)
  const rest = Object.entries(weights).map(([name, weight]) => [name, left * weight])
  return {
    ...Object.fromEntries(rest),
    sessionWords: share * gist.sessionWords,
    sessionMeaning: share * gist.sessionMeaning,
  }
}

/** Which stretch each candidate stands in. */
export type StretchOf = ReadonlyMap<Candidate, Stretch>

/** The stretches of the best candidates, no more than so many. */
export function bestStretches(ranked: readonly Ranked[], stretchOf: StretchOf, most: number): Stretch[] {
  const stretches = new Set<Stretch>()
  for (const { candidate } of ranked) {
    const stretch = stretchOf.get(candidate)
    if (stretch && stretches.size < most) stretches.add(stretch)
  }
  return [...stretches]
}

/** Adds what stretches as a whole have of the question; those that were not read have nothing. */
export function addStretches(
  ranked: readonly Ranked[],
  stretchOf: StretchOf,
  bm25: Bm25,
  read: ReadonlyMap<Stretch, ReadStretch>,
): void {
  const averageWords = mean(Array.from(read.values(), ({ counted }) => counted.words))
  for (const { candidate, features } of ranked) {
    const stretch = stretchOf.get(candidate)
    const its = stretch && read.get(stretch)
    features.sessionWords = its ? bm25.score(its.counted, averageWords) : 0
    features.sessionMeaning = its ? nearness(its) : Number.NaN
  }
  scaleByMost(ranked, ["sessionWords"])
  scaleToRange(ranked, ["sessionMeaning"])
}

/** Between its nearest message and the average of its three nearest: one may be near by chance. */
function nearness({ cosines }: ReadStretch): number {
  return mean([cosines[0] ?? Number.NaN, mean(cosines.slice(0, 3))])
}

/** Of nothing, there is none. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * Sets the messages of a stretch behind its best one, each further one by as much again: who tells of a situation is
 * helped by many sessions more than by the whole of one.
 */
export function spread(ranked: readonly Ranked[], stretchOf: StretchOf, cost: number): Ranked[] {
  const before = new Map<Stretch | undefined, number>()
  const setBack = ranked.map((one) => {
    const stretch = stretchOf.get(one.candidate)
    const count = before.get(stretch) ?? 0
    before.set(stretch, count + 1)
    return { ...one, setBack: cost * count }
  })
  return setBack.sort((a, b) => b.score - b.setBack - (a.score - a.setBack))
}
