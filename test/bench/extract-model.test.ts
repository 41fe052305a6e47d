import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import type { ModelServer } from "../../testkit/model-server/model-server.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { notes } from "../../testkit/worlds/extraction-world.ts"
import { plantedKey } from "../../testkit/worlds/model-world.ts"

interface Figure {
  id: string
  value: number
  rows?: number
  interval?: [number, number]
}

/** What the model says of messages with these words: one thing right, one wrong, and one that nobody said. */
const taught = [
  ["finance export is semicolons", "The finance export is semicolons, comma for decimals, and a BOM."],
  ["what Ward 7 needs", "What Ward 7 needs is another password."],
  ["Skip Lochend", "Lochend has 12 wards on the second floor."],
] as const

/** A home whose configuration names a scripted model on a real port, and the benchmark in a process of its own. */
async function open(server: ModelServer) {
  server.always(({ asked }) => {
    const [message] = asked.messages
    const text = message?.role === "user" ? message.text : ""
    const said = taught.filter(([words]) => text.includes(words))
    const usage = { input: 100, output: 10 }
    return { ...notes(...said.map(([, content]) => ({ content, type: "fact", turns: [0] }))), usage }
  })
  const home = throwawayFolder()
  const configure = (extraction = "") => {
    const local = `local_url = "${server.url}/v1"\nlocal_model = "reader"\n`
    const models = `[models]\nallow_api_keys = true\nprovider = "local"\n${local}`
    writeFileSync(join(home, "config.toml"), `${models}${extraction}`, { mode: 0o600 })
  }
  configure()
  const paid = { OPENAI_API_KEY: plantedKey, OPENAI_BASE_URL: `${server.url}/v1` }
  const script = fileURLToPath(new URL("../../bench/run.ts", import.meta.url))
  const bench = async (...args: string[]) => {
    const env = { ...process.env, HOME: home, REVERIE_HOME: home, REVERIE_DATABASE_URL: "", ...paid }
    const given = [script, "extract", "--json", "--only", "nurse", "--most", "12", ...args]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, given, { env })
    return { figures: JSON.parse(stdout).figures as Figure[], said: stderr }
  }
  return { configure, bench, file: join(home, "answers.jsonl") }
}

describe("Extraction by a model, measured", { timeout: 120_000 }, () => {
  it("is told apart by author, with rows, intervals and tokens, and is the same when it is replayed from what it has", async () => {
    const server = await serveModel()
    const { bench, configure, file } = await open(server)
    const { figures } = await bench("--model", "reader", "--record", file)
    expect(figures).toContainEqual(
      expect.objectContaining({ id: "model.left-out.nurse.english.at-once.recall", value: 100, rows: 1 }),
    )
    const precision = figures.find(({ id }) => id === "model.left-out.nurse.english.at-once.precision")
    expect(precision).toMatchObject({
      value: 50,
      rows: 2,
      interval: [expect.any(Number), expect.any(Number)],
    })
    expect(figures).toContainEqual(expect.objectContaining({ id: "model.notes.dropped", value: 1 }))
    expect(figures).toContainEqual(expect.objectContaining({ id: "model.tokens.input", value: 1200 }))
    expect(figures).toContainEqual(expect.objectContaining({ id: "model.not-answered", value: 0, rows: 12 }))
    expect(server.requests).toHaveLength(12)
    const [line] = readFileSync(file, "utf8").split("\n")
    expect(JSON.parse(line ?? "")).toMatchObject({
      prompt: expect.stringMatching(/^[0-9a-f]{64}$/),
      text: expect.stringContaining("<turn"),
      asked: "local/reader",
      answer: { calls: [{ name: "record_memories" }] },
    })

    const again = await bench("--replay", file)
    const named = (id: string) => id.replace("not-in-recording", "not-answered")
    expect(again.figures.map((figure) => ({ ...figure, id: named(figure.id) }))).toEqual(figures)
    // What is recorded is not paid for twice.
    expect((await bench("--model", "configured", "--record", file)).figures).toEqual(figures)
    expect(server.requests).toHaveLength(12)
    await expect(bench("--model", "other", "--record", file)).rejects.toThrow(
      "has answers of local/reader; give another file.",
    )

    // It says how many prompts a recording does not have, and counts nothing for them.
    configure("[extraction]\nmost_memories = 7\n")
    const missing = await bench("--replay", file)
    expect(missing.said).toContain(`12 of 12 prompts are not in ${file}`)
    expect(missing.figures).toContainEqual(
      expect.objectContaining({ id: "model.not-in-recording", value: 12, rows: 12 }),
    )
    expect(missing.figures.filter(({ id }) => id.includes("recall"))).toEqual([])
    expect(server.requests).toHaveLength(12)
  })

  it("tells what a paid key costs, and writes the key nowhere", async () => {
    const { bench, file } = await open(await serveModel())
    const { figures } = await bench("--model", "openai/gpt-6-luna", "--record", file)
    const cost = figures.find(({ id }) => id === "model.cost")
    expect(cost).toMatchObject({ rows: 12, value: expect.any(Number) })
    expect(cost?.value).toBeGreaterThan(0)
    expect((await bench("--replay", file)).figures).toContainEqual(cost)
    expect(readFileSync(file, "utf8")).not.toContain(plantedKey)
  })

  it("stops asking a model that does not answer", async () => {
    const server = await serveModel()
    const { bench } = await open(server)
    server.always({ fail: 401 })
    await expect(bench("--most", "40", "--model", "reader")).rejects.toThrow(
      /messages in a row got no answer/,
    )
    expect(server.requests.length).toBeLessThan(40)
  })

  it("refuses what makes no sense, in a sentence", async () => {
    const { bench, file } = await open(await serveModel())
    await expect(bench("--record", file)).rejects.toThrow("name one with --model")
    await expect(bench("--replay", file, "--model", "reader")).rejects.toThrow("leave out --model")
    await expect(bench("--replay", file)).rejects.toThrow("There is no recording at")
    await expect(bench("--model", "reader", "--record", join(file, "x"))).rejects.toThrow("give another file")
  })
})
