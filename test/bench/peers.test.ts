import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { choosePeers } from "../../bench/quality/peers/choose.ts"
import type { Item } from "../../bench/quality/system.ts"
import { cacheEmbedder } from "../../bench/quality/vector-cache.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

const items: Item[] = [
  "Ann: the boats are painted red",
  "Bo: a red car, a red house, a red sky",
  "Ann: what should I do with it?",
].map((content, index) => ({
  sourceId: `t${index}`,
  content,
  sessionId: "s",
  messageIndex: index,
  createdAt: 0,
}))

/** Counts the letters r and b: enough to be near or far. */
const letters = async (texts: readonly string[]) =>
  texts.map((text) => {
    const count = (letter: string) => text.split(letter).length - 1
    const length = Math.hypot(count("r"), count("b")) || 1
    return new Float32Array([count("r") / length, count("b") / length])
  })

function peersOf(names: string, load: (name: string) => Promise<unknown>) {
  const said: string[] = []
  const needs = {
    embed: { dimensions: 2, embed: letters },
    load,
    folder: throwawayFolder,
    say: (text: string) => said.push(text),
  }
  return { said, systems: choosePeers(needs, names) }
}

describe("the peers", () => {
  it("BM25 ranks by rare words, knows stems, ignores function words, and is sure of what matches fully", async () => {
    const [bm25] = await peersOf("bm25", async () => ({})).systems
    const store = await bm25?.open(items)
    const boat = await store?.search("Which boat is red?", 5)
    expect(boat?.hits.map(({ sourceId }) => sourceId)).toEqual(["t0", "t1"])
    const nothing = await store?.search("What should I do with it?", 5)
    expect(nothing).toEqual({ hits: [], confidence: 0, abstained: true })
    const partly = await store?.search("boat and anchor", 5)
    expect(partly?.confidence).toBeGreaterThan(0)
    expect(partly?.confidence).toBeLessThan(boat?.confidence ?? 0)
  })

  it("cosine ranks everything by our vectors", async () => {
    const [cosine] = await peersOf("cosine", async () => ({})).systems
    const store = await cosine?.open(items)
    const answer = await store?.search("rrrr", 2)
    expect(answer?.hits.map(({ sourceId }) => sourceId)).toEqual(["t1", "t0"])
    expect(answer?.confidence).toBe(answer?.hits[0]?.score)
  })

  it("that are not installed are left out, with a word about how to get them", async () => {
    const { systems, said } = peersOf("minisearch,cosine", async (name) => {
      throw new Error(`Cannot find package '${name}'`)
    })
    expect((await systems).map(({ name }) => name)).toEqual(["cosine"])
    expect(said).toEqual([
      "left out: minisearch (Cannot find package 'minisearch'); npm ci --prefix bench/peers installs the peers",
    ])
  })
})

describe("the cache of vectors", () => {
  /** An embedder that remembers what it had to do. */
  function counting(model: string) {
    const asked: string[] = []
    const embedder: Embedder = {
      model,
      dimensions: 2,
      tokenDimensions: 1,
      similarity: { duplicate: 1, related: 0.5, unrelated: 0 },
      async embed(texts, { tokens = false } = {}) {
        asked.push(...texts)
        return (await letters(texts)).map((vector) => ({
          vector,
          tokens: tokens
            ? {
                codes: new Int8Array([-127, 5]),
                dimensions: 1,
                starts: new Uint32Array([0, 3]),
                ends: new Uint32Array([2, 9]),
              }
            : undefined,
        }))
      },
      status: () => ({ state: "ready" }),
      async close() {},
    }
    return { embedder, asked }
  }

  it("asks the model once for each text, across runs, and again for word pieces or another model", async () => {
    const file = join(throwawayFolder(), "deep", "vectors.db")
    const first = counting("one")
    const before = await cacheEmbedder(first.embedder, file)
    const [made] = await before.embed(["a red bird"])
    await before.close()
    const second = counting("one")
    const after = await cacheEmbedder(second.embedder, file)
    const [again, other] = await after.embed(["a red bird", "bread"])
    expect(second.asked).toEqual(["bread"])
    expect(again).toEqual(made)
    expect(other).toEqual((await first.embedder.embed(["bread"]))[0])
    const [withTokens] = await after.embed(["a red bird"], { tokens: true })
    const [kept] = await after.embed(["a red bird"], { tokens: true })
    expect(second.asked).toEqual(["bread", "a red bird"])
    expect(kept).toEqual(withTokens)
    expect(kept?.tokens?.codes).toEqual(new Int8Array([-127, 5]))
    await after.close()
    const third = counting("two")
    const elsewhere = await cacheEmbedder(third.embedder, file)
    await elsewhere.embed(["a red bird"])
    await elsewhere.close()
    expect(third.asked).toEqual(["a red bird"])
  })
})
