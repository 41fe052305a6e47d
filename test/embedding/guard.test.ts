import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Embedder, EmbedderStatus } from "../../src/embedding/embedder.ts"
import { embeddingNotice } from "../../src/embedding/embedder.ts"
import { readFailureNote, withFailureNote } from "../../src/embedding/failure-note.ts"
import { guardEmbedder } from "../../src/embedding/guard.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

/** An embedder that answers every text with the same vector, or fails. */
function createPlainEmbedder() {
  const it = { vector: [0.6, 0.8], error: undefined as Error | undefined, calls: 0 }
  let status: EmbedderStatus = { state: "idle" }
  const embedder: Embedder = {
    model: "plain",
    dimensions: 2,
    tokenDimensions: undefined,
    similarity: { duplicate: 0.95, related: 0.6, unrelated: 0.2 },
    async embed(texts) {
      it.calls += 1
      status = it.error ? { state: "failed", reason: it.error.message } : { state: "ready" }
      if (it.error) throw it.error
      return texts.map(() => ({ vector: Float32Array.from(it.vector), tokens: undefined }))
    },
    status: () => status,
    close: async () => {},
  }
  return { it, embedder }
}

function setUp(stored?: number) {
  const clock = createManualClock()
  const { it, embedder } = createPlainEmbedder()
  return { clock, it, guarded: guardEmbedder({ clock, storedLength: async () => stored }, embedder) }
}

describe("A guarded embedder", () => {
  test("is left alone after a failure, longer each time, and asked as before once it works", async () => {
    const { clock, it, guarded } = setUp()
    it.error = new Error("out of cards")
    const rests: number[] = []
    for (let round = 0; round < 7; round += 1) {
      await expect(guarded.embed(["a"])).rejects.toThrow("out of cards")
      const restMs = (guarded.status().retryAt ?? 0) - clock.now()
      rests.push(restMs / 1000)
      await clock.advance(restMs - 1)
      await expect(guarded.embed(["a"])).rejects.toThrow("out of cards")
      expect(it.calls).toBe(round + 1)
      await clock.advance(1)
    }
    expect(rests).toEqual([30, 60, 120, 240, 480, 600, 600])
    it.error = undefined
    expect(await guarded.embed(["a"])).toHaveLength(1)
    expect(guarded.status()).toEqual({ state: "ready" })
    it.error = new Error("again")
    await expect(guarded.embed(["a"])).rejects.toThrow("again")
    expect((guarded.status().retryAt ?? 0) - clock.now()).toBe(30_000)
  })

  test.each<[string, number[], RegExp]>([
    ["another length than the stored ones", [1, 0, 0], /vectors of 3 numbers, but the stored ones have 2;/],
    ["no numbers", [Number.NaN, 1], /a vector that is not made of numbers;/],
    ["zeros", [0, 0], /a vector of zeros;/],
  ])("refuses vectors of %s as a failure of the embedder", async (_, vector, reason) => {
    const { it, guarded } = setUp(2)
    it.vector = vector
    await expect(guarded.embed(["a"])).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(reason),
    })
    expect(embeddingNotice(guarded)).toMatch(reason)
    expect(embeddingNotice(guarded)).toMatch(/^Search uses words only for now\. The embedder/)
  })
})

describe("The note of a failure", () => {
  test("tells the next process, and goes when it works again", async () => {
    const file = join(throwawayFolder(), "state", "note.json")
    const clock = createManualClock()
    const first = createPlainEmbedder()
    first.it.error = new Error("no connection")
    await expect(withFailureNote({ file, clock }, first.embedder).embed(["a"])).rejects.toThrow()
    expect(readFailureNote(file, "plain")).toMatchObject({ reason: "no connection" })
    expect(readFailureNote(file, "another")).toBeUndefined()
    const second = withFailureNote({ file, clock }, createPlainEmbedder().embedder)
    expect(second.status()).toMatchObject({ state: "failed", reason: "no connection" })
    await second.embed(["a"])
    expect(second.status()).toEqual({ state: "ready" })
    expect(existsSync(file)).toBe(false)
  })
})
