import { readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { dot } from "../../src/base/dot.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { asks, changeLikelihood, isTopicChange, topicWindow } from "../../src/recall/topic.ts"
import { openBenchEmbedder } from "../quality/embedding.ts"
import { dataFolder } from "../shared/data.ts"
import type { Benchmark, Figure } from "../shared/figures.ts"

const dialogues = z.array(z.object({ utterances: z.array(z.string()), segments: z.array(z.number()) }))

/** One place in a dialogue where the subject may have changed. */
interface Place {
  isChange: boolean
  previous: number
  centroid: number
  /** What the product decides with its embedder, and by words alone. */
  ours: boolean
  byWords: boolean
  likelihood: number
}

/** How well changes of subject are seen, beside a plain limit on the cosine. */
export const topicShift: Benchmark = {
  about: "how well a change of subject is seen in dialogues, beside a cosine below 0.3",
  options: {},
  async run(bench) {
    const file = join(dataFolder("topic-shift"), "tiage-dev200.json")
    const data = dialogues.parse(JSON.parse(readFileSync(file, "utf8")))
    const embedder = await openBenchEmbedder(bench, "all-MiniLM-L6-v2")
    const places: Place[] = []
    for (const { utterances, segments } of data) {
      places.push(...(await placesIn(embedder, utterances, beginnings(segments))))
    }
    const below = score(places, ({ previous }) => previous < 0.3)
    const ours = score(places, (place) => place.ours)
    return [
      ...compared("", ours, "cosine to the last utterance < 0.3", below),
      ...compared(
        "centroid.",
        score(places, ({ centroid }) => centroid < 0.3),
      ),
      ...compared(
        "by-words.",
        score(places, ({ byWords }) => byWords),
      ),
      {
        id: "area-under-curve",
        value: area(places, ({ likelihood }) => likelihood),
        unit: "share",
        better: "higher",
        baseline: { name: "cosine to the last utterance", value: area(places, ({ previous }) => -previous) },
      },
      { id: "places", value: places.length, unit: "places", better: "higher" },
      {
        id: "changes",
        value: places.filter(({ isChange }) => isChange).length,
        unit: "places",
        better: "higher",
      },
    ]
  },
}

function beginnings(segments: readonly number[]): Set<number> {
  const starts = new Set<number>()
  let at = 0
  for (const length of segments) {
    starts.add(at)
    at += length
  }
  return starts
}

async function placesIn(
  embedder: Embedder,
  utterances: readonly string[],
  changes: ReadonlySet<number>,
): Promise<Place[]> {
  const vectors = (await embedder.embed(utterances)).map(({ vector }) => vector)
  const places: Place[] = []
  let centroid = vectors[0] ?? new Float32Array()
  for (const [at, text] of utterances.entries()) {
    const vector = vectors[at]
    if (at === 0 || vector === undefined) continue
    const from = Math.max(0, at - topicWindow)
    const soFar = {
      texts: utterances.slice(from, at),
      vectors: vectors.slice(from, at),
      wasAsked: asks(utterances[at - 1] ?? ""),
    }
    places.push({
      isChange: changes.has(at),
      previous: dot(vectors[at - 1] ?? vector, vector),
      centroid: dot(centroid, vector),
      ours: isTopicChange(soFar, text, vector),
      byWords: isTopicChange({ ...soFar, vectors: [] }, text, undefined),
      likelihood: changeLikelihood(soFar, text, vector),
    })
    centroid = unit(centroid.map((value, index) => value + (vector[index] ?? 0)))
  }
  return places
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return vector.map((value) => value / length)
}

interface Score {
  precision: number
  recall: number
  f1: number
}

function score(places: readonly Place[], says: (place: Place) => boolean): Score {
  const said = places.filter(says)
  const right = said.filter(({ isChange }) => isChange).length
  const precision = right / Math.max(1, said.length)
  const recall = right / Math.max(1, places.filter(({ isChange }) => isChange).length)
  return { precision, recall, f1: (2 * precision * recall) / Math.max(1e-9, precision + recall) }
}

function compared(prefix: string, own: Score, name?: string, other?: Score): Figure[] {
  return (["precision", "recall", "f1"] as const).map((id) => ({
    id: `${prefix}${id}`,
    value: own[id],
    unit: "share",
    better: "higher",
    ...(other && name ? { baseline: { name, value: other[id] } } : {}),
  }))
}

/** How often a change is ranked above a place that is none. */
function area(places: readonly Place[], rank: (place: Place) => number): number {
  const sorted = places.toSorted((a, b) => rank(a) - rank(b))
  const changes = places.filter(({ isChange }) => isChange).length
  const ranks = sorted.reduce((sum, { isChange }, index) => sum + (isChange ? index + 1 : 0), 0)
  return (ranks - (changes * (changes + 1)) / 2) / (changes * (places.length - changes))
}
