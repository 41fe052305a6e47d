import { expect, test } from "vitest"
import anchors from "../../assets/embedding/anchors.json" with { type: "json" }
import type { CosineScale, Embedder } from "../../src/embedding/embedder.ts"
import { measureScale, similarityOf } from "../../src/embedding/scale.ts"
import { type ScaleStore, scaledEmbedder } from "../../src/embedding/scaled.ts"
import { likelihood } from "../../src/memory/find/rank/calibration.ts"
import { calibrationFor } from "../../src/memory/find/rank/calibrations.ts"
import { openReadableLog } from "../../testkit/embedding.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"

/** A model to which nothing is less alike than `floor`: what belongs together shares a direction, more or less of it. */
function model(floor: number, fail: () => boolean = () => false) {
  const asked: string[][] = []
  const embedder: Embedder = {
    model: "squeezed",
    dimensions: anchors.length + 2,
    tokenDimensions: undefined,
    similarity: { duplicate: 0.95, related: 0.6, unrelated: 0.2 },
    async embed(texts) {
      asked.push([...texts])
      if (fail()) throw new Error("not now")
      return texts.map((text) => ({ vector: vectorOf(text, floor), tokens: undefined }))
    },
    status: () => ({ state: "ready" }),
    async close() {},
  }
  return { embedder, asked }
}

function vectorOf(text: string, floor: number): Float32Array {
  const place = anchors.findIndex(({ note, question, again }) => [note, question, again].includes(text))
  const share = anchors[place]?.question === text ? 0.6 : 0.95
  const vector = new Float32Array(anchors.length + 2)
  vector[0] = Math.sqrt(floor)
  if (place >= 0) vector[place + 1] = Math.sqrt(1 - floor) * share
  vector[anchors.length + 1] = Math.sqrt((1 - floor) * (1 - share * share)) * (share === 0.6 ? -1 : 1)
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function memoryStore(): ScaleStore & { kept: Map<string, CosineScale> } {
  const kept = new Map<string, CosineScale>()
  return {
    kept,
    read: async (name) => kept.get(name),
    save: async (name, scale) => void kept.set(name, scale),
  }
}

test("what a model's cosines mean is measured, wherever they begin", async () => {
  const low = await measureScale(model(0.1).embedder)
  const high = await measureScale(model(0.75).embedder)
  if (low === undefined || high === undefined) throw new Error("not measured")
  expect(low.unrelated).toBeLessThan(0.2)
  expect(high.unrelated).toBeGreaterThan(0.6)
  for (const { unrelated, matching, same } of [low, high]) {
    expect(unrelated).toBeLessThan(matching)
    expect(matching).toBeLessThan(same)
  }
  const { duplicate, related, unrelated } = similarityOf(high)
  expect(unrelated).toBeGreaterThan(high.unrelated)
  expect(related).toBeGreaterThan(unrelated)
  expect(duplicate).toBeGreaterThan(high.matching)
  expect(duplicate).toBeLessThan(1)
})

test("a model that tells nothing apart is not measured", async () => {
  const { embedder } = model(0.1)
  const blunt = { embed: (texts: readonly string[]) => embedder.embed(texts.map(() => "the same")) }
  expect(await measureScale(blunt)).toBeUndefined()
})

test("silence begins where nothing matches, on the model's own scale", () => {
  const scale = { unrelated: 0.76, matching: 0.9, same: 0.97 }
  const sureness = (cosine: number, own?: CosineScale) => {
    const { answer, abstainBelow } = calibrationFor({ model: "other", hasPieces: false, scale: own })
    const signs = { metAround: 0, covered: 0, cosine, speakerGap: 0, usual: 0 }
    return likelihood(answer, signs) >= abstainBelow
  }
  expect([sureness(0.76), sureness(0.92)]).toEqual([true, true])
  expect([sureness(0.76, scale), sureness(0.92, scale)]).toEqual([false, true])
})

test("a model is measured once, kept, and read by the next process", async () => {
  const clock = createManualClock()
  const { log } = openReadableLog()
  const scales = memoryStore()
  const first = model(0.75)
  const embedder = scaledEmbedder({ clock, log, scales }, first.embedder)
  expect(embedder.scale).toBeUndefined()
  await embedder.embed(["one", "two"])
  expect(embedder.scale).toEqual(scales.kept.get("squeezed"))
  expect(embedder.similarity.related).toBeGreaterThan(0.7)
  await embedder.embed(["three"])
  expect(first.asked).toHaveLength(4)
  const second = model(0.75)
  const again = scaledEmbedder({ clock, log, scales }, second.embedder)
  await again.embed(["one"], { urgent: true })
  expect(again.scale).toEqual(embedder.scale)
  expect(second.asked).toEqual([["one"]])
})

test("who waits does not wait for it, and a failure is tried again later", async () => {
  const clock = createManualClock()
  const { log, lines } = openReadableLog()
  let isDown = true
  const { embedder: plain, asked } = model(0.75, () => isDown && asked.length === 1)
  const embedder = scaledEmbedder({ clock, log }, plain)
  await embedder.embed(["one"], { urgent: true })
  expect(lines.join()).toContain("could not be measured")
  isDown = false
  await embedder.embed(["two"])
  expect(embedder.scale).toBeUndefined()
  await clock.advance(11 * 60_000)
  await embedder.embed(["three"])
  expect(embedder.scale).toBeDefined()
})
