import type { Candidate } from "../pool.ts"
import type { Query } from "../query.ts"
import type { FeatureWeights } from "./features.ts"
import type { Bm25 } from "./lexical.ts"
import { type Ranked, scaleByMost, scaleToRange } from "./rank.ts"
import type { Recipe } from "./recipe.ts"
import type { ReadStretch, Stretch } from "./stretches.ts"

/** How much the gist of a query counts instead of its words, 0 to 1; grows with its length. */
export function gistShare({ gist }: Recipe, { words }: Query): number {
  return Math.min(1, Math.max(0, (words.length - gist.from) / (gist.to - gist.from)))
}

/** The weights for a query whose gist has this share: features of whole sessions replace the rest. */
export function withGist({ gist }: Recipe, share: number, weights: FeatureWeights): FeatureWeights {
  const left = 1 - share * (1 - gist.rest)
  const rest = Object.entries(weights).map(([name, weight]) => [name, left * weight])
  return {
    ...Object.fromEntries(rest),
    sessionWords: share * gist.sessionWords,
    sessionMeaning: share * gist.sessionMeaning,
  }
}

/** The stretch of each candidate. */
export type StretchOf = ReadonlyMap<Candidate, Stretch>

/** The stretches of the best candidates, at most `most`. */
export function bestStretches(ranked: readonly Ranked[], stretchOf: StretchOf, most: number): Stretch[] {
  const stretches = new Set<Stretch>()
  for (const { candidate } of ranked) {
    const stretch = stretchOf.get(candidate)
    if (stretch && stretches.size < most) stretches.add(stretch)
  }
  return [...stretches]
}

/** Adds the features of whole stretches. Those that were not read count as 0. */
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

/** The mean of the nearest message's cosine and the average of the three nearest: one may be near by chance. */
function nearness({ cosines }: ReadStretch): number {
  return mean([cosines[0] ?? Number.NaN, mean(cosines.slice(0, 3))])
}

/** NaN for an empty list. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * Lowers each further message of a stretch by another `cost`: for a query that describes a situation, many sessions help
 * more than one whole session.
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
