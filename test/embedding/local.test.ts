import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { UserError } from "../../src/base/errors.ts"
import type { Embedded, TokenVectors } from "../../src/embedding/embedder.ts"
import { openLocalEmbedder } from "../../src/embedding/local.ts"
import { localModel } from "../../src/embedding/models.ts"
import { startModelWorker } from "../../src/embedding/runtime/model-process.ts"
import type { FromWorker, WorkerSetup } from "../../src/embedding/runtime/worker-messages.ts"
import { cosine, describeWithModel, openReadableLog, openTestEmbedder } from "../../testkit/embedding.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

/** What all-MiniLM-L6-v2 gives for "Hello world" at full precision (npm run bench -- embed checks it anew). */
const helloWorld: number[] = JSON.parse(readFileSync(new URL("./hello-world.json", import.meta.url), "utf8"))

const sentence = "The staging database runs on port 5433 and is reset every night."
/** Some 30 windows, so that there is time to do something meanwhile. */
const veryLong = "Each morning the build server compiles all packages and publishes them. ".repeat(550)

async function one(found: Promise<Embedded[]>): Promise<Embedded> {
  const [first] = await found
  if (first === undefined) throw new Error("nothing came back")
  return first
}

function pieceOf({ codes, dimensions }: TokenVectors, index: number): Int8Array {
  return codes.subarray(index * dimensions, (index + 1) * dimensions)
}

const isReady = (said: unknown) => (said as FromWorker).kind === "ready"

describeWithModel("A local embedder", () => {
  test("gives the vector that is published for all-MiniLM-L6-v2, up to what int8 costs", async () => {
    const { embedder } = openTestEmbedder()
    const { vector, tokens } = await one(embedder.embed(["Hello world"]))
    // The five numbers sentence-transformers publishes; the rest of the file comes with them.
    const published = [-0.03447725, 0.03102325, 0.00673496, 0.02610892, -0.03936201]
    for (const [index, value] of published.entries()) expect(helloWorld[index]).toBeCloseTo(value, 6)
    expect(vector).toHaveLength(embedder.dimensions)
    expect(cosine(vector, helloWorld)).toBeGreaterThan(0.98)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    expect(tokens).toBeUndefined()
    expect(embedder.model).toBe("all-MiniLM-L6-v2/int8")
  })

  test("gives the same for a text alone, among others and after a long one", async () => {
    const { embedder } = openTestEmbedder()
    const alone = await one(embedder.embed([sentence], { tokens: true }))
    const [, among] = await embedder.embed([veryLong.slice(0, 5000), sentence, "short"], { tokens: true })
    expect(among).toEqual(alone)
  })

  test("finds what means the same nearer than what does not, with its own thresholds", async () => {
    const { embedder } = openTestEmbedder()
    const texts = [
      "A man is playing a guitar.",
      "A man plays the guitar.",
      "The stock market fell sharply today.",
    ]
    const [a, same, other] = (await embedder.embed(texts)).map(({ vector }) => vector)
    const { duplicate, related, unrelated } = embedder.similarity
    expect(cosine(a ?? [], same ?? [])).toBeGreaterThan(duplicate)
    expect(cosine(a ?? [], other ?? [])).toBeLessThan(unrelated)
    expect(duplicate).toBeGreaterThan(related)
    expect(related).toBeGreaterThan(unrelated)
  })

  test("gives one short vector for each word piece, with its word's place", async () => {
    const { embedder } = openTestEmbedder()
    const text = "The river bank was muddy; the bank lent money."
    const { tokens } = await one(embedder.embed([text], { tokens: true }))
    if (tokens === undefined) throw new Error("there are no token vectors")
    const { codes, dimensions, starts, ends } = tokens
    const words = [...starts].map((start, index) => text.slice(start, ends[index]))
    expect(words.join(" ")).toBe("The river bank was muddy ; the bank lent money .")
    expect(dimensions).toBe(embedder.tokenDimensions)
    expect(codes).toHaveLength(words.length * dimensions)
    for (const [index] of words.entries())
      expect(Math.hypot(...pieceOf(tokens, index)) / 127).toBeCloseTo(1, 1)
    // The same word in two meanings is not the same vector, but nearer to itself than to another word.
    const [first, second] = [
      pieceOf(tokens, words.indexOf("bank")),
      pieceOf(tokens, words.lastIndexOf("bank")),
    ]
    expect(cosine(first, second)).toBeLessThan(0.999)
    expect(cosine(first, second)).toBeGreaterThan(cosine(first, pieceOf(tokens, words.indexOf("lent"))))
  })

  test("reads a long text to its end", async () => {
    const { embedder } = openTestEmbedder()
    const filler = "We talked about the weather and nothing else happened. ".repeat(60)
    const [plain, ends, query] = await embedder.embed(
      [filler, `${filler}The wifi password is hunter2.`, "wifi password"],
      { tokens: true },
    )
    const to = (found?: Embedded) => cosine(query?.vector ?? [], found?.vector ?? [])
    expect(to(ends)).toBeGreaterThan(to(plain))
    expect(Math.hypot(...(ends?.vector ?? []))).toBeCloseTo(1, 5)
    const starts = [...(ends?.tokens?.starts ?? [])]
    expect(starts).toHaveLength(512)
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
  })

  test("takes an empty text and a text of nothing it knows", async () => {
    const { embedder } = openTestEmbedder()
    const found = await embedder.embed(["", "\u0000\u200b"], { tokens: true })
    for (const { vector, tokens } of found) {
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      expect(tokens?.codes).toHaveLength(0)
    }
    expect(await embedder.embed([])).toEqual([])
  })

  test("lets an urgent text overtake a long one that is being read", async () => {
    const { embedder } = openTestEmbedder()
    await embedder.embed(["warm"])
    const order: string[] = []
    const bulk = embedder.embed([veryLong, "more"]).then(() => order.push("bulk"))
    const query = embedder.embed(["query"], { urgent: true }).then(() => order.push("query"))
    await Promise.all([bulk, query])
    expect(order).toEqual(["query", "bulk"])
  })

  test("puts the model away when there is nothing to do, and loads it again", async () => {
    const clock = createManualClock()
    const { embedder, workers } = openTestEmbedder({ clock, idleUnloadMs: 60_000 })
    expect(embedder.status()).toEqual({ state: "idle" })
    const before = await embedder.embed([sentence])
    expect(embedder.status()).toEqual({ state: "ready", runtime: "native", provider: "cpu" })
    await clock.advance(59_999)
    expect(embedder.status().state).toBe("ready")
    const gone = once(workers[0] as ChildProcess, "exit")
    await clock.advance(1)
    expect(embedder.status()).toEqual({ state: "idle" })
    await gone
    expect(await embedder.embed([sentence])).toEqual(before)
    expect(workers).toHaveLength(2)
  })

  test("keeps the model where it shall never be put away", async () => {
    const clock = createManualClock()
    const { embedder } = openTestEmbedder({ clock, idleUnloadMs: 0 })
    await embedder.embed([sentence])
    expect(clock.waiting).toBe(0)
  })

  test("reads a text once more when its process dies", async () => {
    const killFirst = (worker: ChildProcess) =>
      worker.on("message", (said) => isReady(said) && workers.length === 1 && void worker.kill("SIGKILL"))
    const { embedder, workers, logLines } = openTestEmbedder({ onWorker: killFirst })
    const found = await embedder.embed([veryLong.slice(0, 8000)])
    expect(found).toEqual(await openTestEmbedder().embedder.embed([veryLong.slice(0, 8000)]))
    expect(workers).toHaveLength(2)
    expect(logLines.join()).toContain("The embedder's process died")
  })

  test("gives a text up when its process dies twice, and goes on with others", async () => {
    const killTwo = (worker: ChildProcess) =>
      worker.on("message", (said) => isReady(said) && workers.length <= 2 && void worker.kill("SIGKILL"))
    const { embedder, workers } = openTestEmbedder({ onWorker: killTwo })
    await expect(embedder.embed([veryLong])).rejects.toThrow(
      /could not be embedded: the model's process died/,
    )
    expect(await embedder.embed(["fine"])).toHaveLength(1)
    expect(workers).toHaveLength(3)
  })

  test("says why it does not start, at once until it is worth another try", async () => {
    const clock = createManualClock()
    let tries = 0
    const weights = async () => {
      tries += 1
      throw new UserError("config", "No weights today; put some there.")
    }
    const { log } = openReadableLog()
    const embedder = openLocalEmbedder(
      { clock, log, weights, startWorker: startModelWorker },
      localModel("all-MiniLM-L6-v2", "int8"),
      { runtime: "auto", provider: "cpu", threads: 1, idleUnloadMs: 0 },
    )
    await expect(embedder.embed(["a"])).rejects.toThrow("No weights today")
    expect(embedder.status()).toEqual({ state: "failed", reason: "No weights today; put some there." })
    await expect(embedder.embed(["b"])).rejects.toThrow("No weights today")
    expect(tries).toBe(1)
    await clock.advance(60_000)
    await expect(embedder.embed(["c"])).rejects.toThrow("No weights today")
    expect(tries).toBe(2)
    await embedder.close()
  })

  test("says why a model does not load", async () => {
    const startWorker = (setup: Parameters<typeof startModelWorker>[0]) =>
      startModelWorker({ ...setup, modelFile: setup.tokenizerFile })
    const { embedder } = openTestEmbedder({ startWorker })
    await expect(embedder.embed(["a"])).rejects.toThrow(/all-MiniLM-L6-v2 does not load: .+/)
    expect(embedder.status().state).toBe("failed")
  })

  test("gives nearly the same in WebAssembly", async () => {
    const native = await openTestEmbedder().embedder.embed([sentence, "Hello world"])
    const { embedder } = openTestEmbedder({ runtime: "wasm" })
    const wasm = await embedder.embed([sentence, "Hello world"])
    expect(embedder.status()).toEqual({ state: "ready", runtime: "wasm", provider: "cpu" })
    for (const [index, { vector }] of native.entries()) {
      expect(cosine(vector, wasm[index]?.vector ?? [])).toBeGreaterThan(0.99)
    }
  })

  test("falls back to the processor with one notice where the provider is not there", async () => {
    const { embedder, logLines } = openTestEmbedder({ provider: "tensorrt" })
    const found = await embedder.embed([sentence, sentence])
    expect(found).toHaveLength(2)
    expect(embedder.status()).toEqual({ state: "ready", runtime: "native", provider: "cpu" })
    expect(logLines.filter((line) => line.includes("tensorrt is not available"))).toHaveLength(1)
  })

  test.skipIf(process.platform !== "linux")("computes with as many threads as it is told", async () => {
    const taken = async (threads: number) => {
      const { embedder, workers } = openTestEmbedder({ threads })
      const found = await embedder.embed([sentence])
      return { found, threads: readdirSync(`/proc/${workers[0]?.pid}/task`).length }
    }
    const [one, five] = [await taken(1), await taken(5)]
    expect(five.threads - one.threads).toBe(4)
    expect(cosine(five.found[0]?.vector ?? [], one.found[0]?.vector ?? [])).toBeGreaterThan(0.999)
  })

  test("works from the built program too", async () => {
    const built = new URL("../../dist/embedding-worker.js", import.meta.url)
    const startWorker = (setup: WorkerSetup) => startModelWorker(setup, built)
    const found = await openTestEmbedder({ startWorker }).embedder.embed([sentence], { tokens: true })
    expect(found).toEqual(await openTestEmbedder().embedder.embed([sentence], { tokens: true }))
  })

  test("computes in WebAssembly where the native library is missing, and says so", async () => {
    const folder = throwawayFolder()
    cpSync(fileURLToPath(new URL("../../dist", import.meta.url)), join(folder, "dist"), {
      recursive: true,
    })
    writeFileSync(join(folder, "package.json"), '{"type":"module"}')
    const startWorker = (setup: WorkerSetup) =>
      startModelWorker(setup, pathToFileURL(join(folder, "dist/embedding-worker.js")))
    const { embedder, logLines } = openTestEmbedder({ runtime: "auto", startWorker })
    expect(await embedder.embed([sentence])).toHaveLength(1)
    expect(embedder.status()).toEqual({ state: "ready", runtime: "wasm", provider: "cpu" })
    expect(logLines.join()).toContain("The native ONNX Runtime does not load on this machine")
    const strict = openTestEmbedder({ runtime: "native", startWorker }).embedder
    await expect(strict.embed([sentence])).rejects.toThrow(/set embedding.runtime to auto or wasm/)
  })

  test("fails what still waits when it is closed, and ends its thread", async () => {
    const { embedder, workers } = openTestEmbedder()
    await embedder.embed(["warm"])
    const cutOff = expect(embedder.embed([veryLong, "b"])).rejects.toThrow("has been closed")
    const gone = once(workers[0] as ChildProcess, "exit")
    await embedder.close()
    await cutOff
    await gone
    await expect(embedder.embed(["late"])).rejects.toThrow("has been closed")
  })

  test("can be closed while it loads, and before it was used", async () => {
    const { embedder, workers } = openTestEmbedder()
    const cutOff = expect(embedder.embed([sentence])).rejects.toThrow("has been closed")
    await embedder.close()
    await cutOff
    expect(workers.length).toBeLessThanOrEqual(1)
    await openTestEmbedder().embedder.close()
  })
})
