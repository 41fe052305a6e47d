import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { loadInstall } from "../../src/config/install.ts"
import { allKeys } from "../../src/config/schema.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { createRepository } from "../../testkit/git-repository.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"
import { storeSession } from "../../testkit/sessions/session-rows.ts"
import { expectSentence } from "../../testkit/sessions/told.ts"
import { sqliteDatabase } from "../../testkit/setup/databases.ts"
import { openWorkTools } from "../../testkit/work/work-tools.ts"
import { notes } from "../../testkit/worlds/extraction-world.ts"

/** A folder that is a project, with its own settings. */
function projectWith(settings: string): string {
  const folder = throwawayFolder()
  mkdirSync(join(folder, ".reverie"))
  writeFileSync(join(folder, ".reverie/config.toml"), settings)
  return folder
}

/** An installation, a project that sets a key, and one that sets nothing. */
function open(key: string, value: string) {
  const [table, name] = key.split(".")
  const strict = projectWith(`[${table}]\n${name} = ${value}\n`)
  const plain = projectWith("")
  return { strict, plain, ...createPlainInstallation() }
}

type World = ReturnType<typeof open>

async function withSession(
  { paths, json }: Installation,
  folder: string,
  id: string,
  said: readonly string[],
  at = systemClock.now(),
): Promise<void> {
  await json("memory", "add", `A note about ${id}`, "--project", folder)
  const needs = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...needs, url: "", file: paths.databaseFile })
  const install = loadInstall(paths.installFile, systemRandom).id
  const { memories } = await json<Answer<"list">>("memory", "list", "--project", folder)
  const project = memories[0]?.project ?? null
  await storeSession(db, { install, at, id, said: [...said], folder, project })
  await db.close()
}

async function useLocalModel({ run }: Installation) {
  const server = await serveModel()
  await run("config", "set", "models.local_url", `${server.url}/v1`)
  await run("config", "set", "models.local_model", "qwen3")
  await run("config", "set", "models.provider", "local")
  return server
}

const add = ({ run }: Installation, folder: string, text: string) =>
  run("memory", "add", text, "--project", folder)
const contents = async ({ json }: Installation, folder: string) =>
  (await json<Answer<"list">>("memory", "list", "--project", folder)).memories.map(({ content }) => content)
const prompt = (id: string, project: string, text: string) => ({
  session: { id: `codex:${id}`, tool: "codex", project },
  happening: { kind: "prompt" as const, text },
})
const rule = "user: Never push directly to main."
const waitKey = allKeys().find(({ name }) => /^recall\.(first_)?wait_ms$/.test(name))?.name ?? ""

/** What the first prompt of a session brings up in each project, the plain one first. */
async function broughtUp(world: World, settings: readonly [string, string][] = []) {
  await world.run("config", "set", waitKey, "2000")
  for (const [key, value] of settings) await world.run("config", "set", key, value)
  for (const folder of [world.plain, world.strict])
    for (const color of ["red", "green", "blue"])
      await add(world, folder, `The deploy script of the ${color} service needs the staging flag`)
  const { client } = await world.daemonHere()
  const found: string[][] = []
  for (const folder of [world.plain, world.strict]) {
    const text = "Which staging flag does the deploy script of the red service need?"
    const { memories } = await client.recallTurn(prompt(`in-${found.length}`, folder, text))
    found.push(memories.map(({ content }) => content))
  }
  return found
}

/** Whether a model was asked while a session of each project was read; the plain one's first. */
async function readByModel(world: World) {
  const server = await useLocalModel(world)
  server.script([notes()])
  const said = ["user: The staging database is called heron, by the way."]
  await withSession(world, world.strict, "codex:strict", said)
  await world.run("extract", "codex:strict")
  expect(server.requests).toHaveLength(0)
  await withSession(world, world.plain, "codex:plain", said)
  await world.run("extract", "codex:plain")
  expect(server.requests).toHaveLength(1)
}

/** What turning each key in a project's own file changes there. */
const proofs: Record<string, [value: string, proof: (world: World) => Promise<void>]> = {
  "memory.enabled": [
    "false",
    async (world) => {
      expect((await add(world, world.plain, "The port is 8080")).code).toBe(0)
      expectSentence(await add(world, world.strict, "The port is 8080"), 4, /Not (saved|remembered)/)
    },
  ],
  "memory.longest_text": [
    "100",
    async (world) => {
      const long = "The port is 8080. ".repeat(10)
      expect((await add(world, world.plain, long)).stderr).not.toContain("parts")
      expect((await add(world, world.strict, long)).stderr).toContain("saved in 2 parts")
    },
  ],
  "sessions.enabled": ["false", (world) => turnsKept(world, 0)],
  "sessions.keep_days": [
    "3",
    async (world) => {
      const days = 86_400_000
      await withSession(world, world.plain, "codex:plain", [rule], systemClock.now() - 5 * days)
      await withSession(world, world.strict, "codex:strict", [rule], systemClock.now() - 5 * days)
      await withSession(world, world.strict, "codex:new", [rule])
      const { entry, client } = await world.daemonHere()
      await entry("turns.forgotten")
      const turns = async (id: string) => (await client.session(id, {})).turns.length
      expect([await turns("codex:plain"), await turns("codex:strict"), await turns("codex:new")]).toEqual([
        1, 0, 1,
      ])
    },
  ],
  "recall.enabled": [
    "false",
    async (world) => {
      const [plain, strict] = await broughtUp(world)
      expect(plain).not.toEqual([])
      expect(strict).toEqual([])
    },
  ],
  "recall.max_memories": [
    "2",
    async (world) => {
      const [plain, strict] = await broughtUp(world)
      expect(plain).toHaveLength(3)
      expect(strict).toHaveLength(2)
    },
  ],
  "recall.max_tokens": [
    "50",
    async (world) => {
      const [plain, strict] = await broughtUp(world)
      expect(strict?.length).toBeLessThan(plain?.length ?? 0)
    },
  ],
  // Where a session is is not known before its first prompt is answered, unless recall says otherwise.
  ...(allKeys().some(({ name, tighten }) => name === waitKey && tighten !== undefined)
    ? { [waitKey]: ["0", (world: World) => waitsForNothing(world)] }
    : {}),
  "recall.judge": ["false", (world) => judged(world)],
  "models.provider": [
    '"none"',
    async (world) => {
      await readByModel(world)
    },
  ],
  "privacy.secrets": [
    '"refuse"',
    async (world) => {
      const text = `The deploy script of the blue service reads its key from the vault and the key is ${["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_")}`
      expect((await add(world, world.plain, text)).code).toBe(0)
      expectSentence(await add(world, world.strict, text), 4, /Not (saved|remembered)/)
    },
  ],
  "privacy.personal_data": [
    '"refuse"',
    async (world) => {
      const text = "The customer writes from jane.roe@customer-mail.com"
      expect((await add(world, world.plain, text)).code).toBe(0)
      expectSentence(await add(world, world.strict, text), 4, /Not (saved|remembered)/)
    },
  ],
  "extraction.enabled": [
    "false",
    async (world) => {
      await withSession(world, world.plain, "codex:plain", [rule])
      await withSession(world, world.strict, "codex:strict", [rule])
      await world.run("extract")
      expect(await contents(world, world.plain)).toContain("Never push directly to main.")
      expect(await contents(world, world.strict)).toEqual(["A note about codex:strict"])
    },
  ],
  "extraction.use_model": ["false", (world) => readByModel(world)],
  "extraction.most_memories": [
    "1",
    async (world) => {
      const said = [rule, "user: Never use println in this repo.", "user: Always use tabs in Go files."]
      await withSession(world, world.plain, "codex:plain", said)
      await withSession(world, world.strict, "codex:strict", said)
      await world.run("extract")
      expect((await contents(world, world.plain)).length).toBeGreaterThan(2)
      expect(await contents(world, world.strict)).toHaveLength(2)
    },
  ],
  "ambient.enabled": [
    "false",
    async (world) => {
      for (const folder of [world.plain, world.strict])
        for (const text of ["The port of the server is 8080", "The port of the server is 8080!"])
          await world.run("memory", "add", text, "--project", folder, "--verbatim")
      const { client, entry } = await world.daemonHere()
      await client.wake()
      await entry("cycle.ended")
      expect(await contents(world, world.plain)).toHaveLength(1)
      expect(await contents(world, world.strict)).toHaveLength(2)
    },
  ],
  "work.enabled": [
    "false",
    async (world) => {
      const [plain, strict] = await worked(world, async (_, work) => work)
      expect(plain).toMatch(/^work_/)
      expect(strict).toContain("work.enabled is false")
    },
  ],
  "work.max_files": [
    "1",
    async (world) => {
      const said = await worked(world, async ({ call, propose }, work) => {
        for (const path of ["a.txt", "b.txt"]) await call("work_write", { work, path, text: "three\n" })
        return propose(work)
      })
      expect(said).toEqual(["Asked.", expect.stringContaining("Not proposed")])
    },
  ],
  "work.max_lines": [
    "3",
    async (world) => {
      const said = await worked(world, async ({ call, propose }, work) => {
        await call("work_write", { work, path: "a.txt", text: "1\n2\n3\n4\n" })
        return propose(work)
      })
      expect(said).toEqual(["Asked.", expect.stringContaining("Not proposed")])
    },
  ],
  "work.timeout_minutes": [
    "0.1",
    async (world) => {
      const said = await worked(world, ({ call }, work) =>
        call("work_run", { work, command: "sleep 8; echo over" }),
      )
      expect(said).toEqual([expect.stringContaining("over"), expect.not.stringContaining("exit code 0")])
    },
  ],
}

async function waitsForNothing(world: World) {
  const [plain, strict] = await broughtUp(world)
  expect(plain).not.toEqual([])
  expect(strict).toEqual([])
}

async function turnsKept(world: World, wanted: number) {
  const tools = throwawayFolder()
  const { run, json } = createPlainInstallation({ home: world.home, env: { CODEX_HOME: tools } })
  const write = (id: string, folder: string) => {
    mkdirSync(join(tools, "sessions/2026/11/15"), { recursive: true })
    const at = new Date(systemClock.now() - 60_000).toISOString()
    const lines = [
      { timestamp: at, type: "session_meta", payload: { id, cwd: folder, source: "cli" } },
      {
        timestamp: at,
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Hello there" }] },
      },
    ]
    const file = join(tools, `sessions/2026/11/15/rollout-2026-11-15T06-19-46-${id}.jsonl`)
    writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`)
  }
  const plain = "01a1dddc-0000-4000-8000-000000000001"
  const strict = "01a1dddc-0000-4000-8000-000000000002"
  write(plain, world.plain)
  write(strict, world.strict)
  await run("sessions")
  expect((await json<Answer<"session">>("sessions", "show", `codex:${plain}`)).turns).toHaveLength(1)
  if (wanted === 0) expectSentence(await run("sessions", "show", `codex:${strict}`), 1, /There is no session/)
}

/** Makes both folders repositories and has a model's tools work on them. */
async function worked(
  { plain, strict }: World,
  change: (tools: Awaited<ReturnType<typeof openWorkTools>>, work: string) => Promise<string>,
) {
  const said: string[] = []
  for (const folder of [plain, strict]) {
    createRepository(folder).commit({ "a.txt": "one\n", "b.txt": "two\n" })
    const tools = await openWorkTools(await sqliteDatabase(), folder)
    said.push(await change(tools, await tools.begin()))
  }
  return said
}

async function judged(world: World) {
  const server = await useLocalModel(world)
  const choice = { calls: [{ name: "choose_memories", input: { relevant: [1] } }] }
  server.script([choice, choice])
  await world.run("config", "set", waitKey, "0")
  for (const folder of [world.plain, world.strict])
    await add(world, folder, "The deploy script needs the staging flag before production")
  const { client, entry } = await world.daemonHere()
  const text = "Which flag does the deploy script need?"
  await client.recallTurn(prompt("strict", world.strict, text))
  await entry("recall.prepared")
  expect(server.requests).toHaveLength(0)
  await client.recallTurn(prompt("plain", world.plain, text))
  await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(2)
}

describe("what a project's own file tightens", () => {
  it.each(Object.entries(proofs))(
    "%s holds in that project, and in no other",
    async (key, [value, proof]) => {
      await proof(open(key, value))
    },
  )

  it("is every key that says a project may tighten it", () => {
    const keys = allKeys().filter(({ tighten }) => tighten !== undefined)
    expect(keys.map(({ name }) => name).toSorted()).toEqual(Object.keys(proofs).toSorted())
  })

  it.each([
    ["budget.cycle_tokens", "5000"],
    ["models.allow_api_keys", "false"],
    ["models.daily_usd", "0.5"],
  ])("leaves %s to the global configuration, and says so", async (key, value) => {
    const world = open(key, value)
    const sentence = new RegExp(
      `line 2: ${key} cannot be set by a project; move it to the global configuration`,
    )
    expectSentence(await add(world, world.strict, "The port is 8080"), 1, sentence)
  })

  it("may keep every model away, and choose none", async () => {
    const world = open("models.provider", '"local"')
    expectSentence(
      await add(world, world.strict, "The port is 8080"),
      1,
      /models\.provider may only be tightened by a project: set it to "none" or remove it/,
    )
  })
})
