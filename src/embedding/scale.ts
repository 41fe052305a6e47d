import anchors from "../../assets/embedding/anchors.json" with { type: "json" }
import { dot } from "../base/vector.ts"
import type { CosineScale, Embedder, Similarity } from "./embedder.ts"

/**
 * The levels of all-MiniLM-L6-v2 on the English anchors: the thresholds for models without word pieces were fitted with
 * them.
 */
const standard: CosineScale = { unrelated: 0.06, matching: 0.6, same: 0.87 }
const standardSimilarity: Similarity = { duplicate: 0.85, related: 0.575, unrelated: 0.4 }

/** A model with a smaller gap does not distinguish texts. */
const leastGap = 0.04

/**
 * Measures a model's typical cosines with a few dozen short texts (assets/embedding); undefined if it does not
 * distinguish them.
 */
export async function measureScale(embedder: Pick<Embedder, "embed">): Promise<CosineScale | undefined> {
  const embed = async (texts: string[], question: boolean) =>
    (await embedder.embed(texts, { question })).map(({ vector }) => vector)
  const notes = await embed(
    anchors.flatMap(({ note, again }) => [note, again]),
    false,
  )
  const questions = await embed(
    anchors.map(({ question }) => question),
    true,
  )
  const matching: number[] = []
  const same: number[] = []
  const unrelated: number[] = []
  questions.forEach((question, asked) => {
    anchors.forEach((_, noteIndex) => {
      const [note, again] = [notes[2 * noteIndex], notes[2 * noteIndex + 1]]
      if (note === undefined || again === undefined) return
      if (asked === noteIndex) same.push(dot(note, again))
      const list = asked === noteIndex ? matching : unrelated
      list.push(dot(question, note))
    })
  })
  const scale = { unrelated: middle(unrelated), matching: middle(matching), same: middle(same) }
  return scale.matching - scale.unrelated < leastGap || scale.same <= scale.matching ? undefined : scale
}

/** The factor and the constant that convert a model's cosine into the standard one. */
export function toStandard({ unrelated, matching }: CosineScale): { factor: number; constant: number } {
  const factor = (standard.matching - standard.unrelated) / (matching - unrelated)
  return { factor, constant: standard.unrelated - factor * unrelated }
}

/** The similarity thresholds of a model, from its scale. */
export function similarityOf(scale: CosineScale): Similarity {
  const own = (cosine: number) => fromStandard(scale, cosine)
  const { duplicate, related, unrelated } = standardSimilarity
  return { duplicate: own(duplicate), related: own(related), unrelated: own(unrelated) }
}

/** The cosine of a model that corresponds to a standard one, interpolated between the measured levels. */
function fromStandard(scale: CosineScale, cosine: number): number {
  const levels: [number, number][] = [
    [standard.unrelated, scale.unrelated],
    [standard.matching, scale.matching],
    [standard.same, scale.same],
    [1, 1],
  ]
  const above = Math.max(
    1,
    levels.findIndex(([level]) => level >= cosine),
  )
  const [[x0, y0], [x1, y1]] = [levels[above - 1] ?? [0, 0], levels[above] ?? [1, 1]]
  return y0 + ((cosine - x0) / (x1 - x0)) * (y1 - y0)
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
