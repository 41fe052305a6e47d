import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { codexWindows, openAiBuckets } from "../../testkit/model-server/rate-headers.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"
import { expectSentence } from "../../testkit/sessions/told.ts"
import { plantedKey } from "../../testkit/worlds/model-world.ts"

const fixture = (name: string) => readFileSync(new URL(`../fixtures/usage/${name}`, import.meta.url), "utf8")

/** An installation whose providers are all the scripted server. */
async function open() {
  const server = await serveModel()
  const tools = throwawayFolder()
  const env = {
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_BASE_URL: server.url,
    OPENROUTER_BASE_URL: `${server.url}/api/v1`,
    OPENAI_API_KEY: plantedKey,
    CODEX_HOME: join(tools, "codex"),
    CLAUDE_CONFIG_DIR: join(tools, "claude"),
  }
  return { server, tools, ...createPlainInstallation({ env }) }
}

async function usePaidKeys({ run }: Pick<Installation, "run">): Promise<void> {
  await run("config", "set", "models.allow_api_keys", "true")
}

describe("models through the program", () => {
  it("says which model each job would ask, and what every way lacks", async () => {
    const { run, json } = await open()
    const { jobs, ways } = await json<Answer<"models">>("models")
    expect(jobs.map(({ job, chosen }) => [job, chosen])).toEqual([
      ["gardener", null],
      ["chat", null],
      ["extraction", null],
      ["judge", null],
    ])
    expect(ways.find(({ access }) => access === "openai")).toMatchObject({ ready: true })
    const { stdout } = await run("models")
    expect(stdout).toMatch(/chatgpt\s+Not signed in; `.*reverie'? login chatgpt`/)
    expect(stdout).toMatch(/openai\s+Every call costs money; models.allow_api_keys is false/)
  })

  it("asks, counts and shows what it cost, with and without the daemon", async () => {
    const installation = await open()
    const { server, run, json, daemon } = installation
    await usePaidKeys(installation)
    server.script([
      { text: "ready", usage: { input: 1000, output: 10 } },
      { text: "ready", usage: { input: 3000, output: 30 } },
    ])
    const first = await run("models", "--test", "judge")
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/judge\s+ok\s+openai\/gpt-6-luna answered/),
    })
    await daemon()
    expect((await run("models", "--test", "gardener")).code).toBe(0)
    const { rows, total } = await json<Answer<"usage">>("usage")
    expect(rows).toMatchObject([
      { source: "ambient", model: "gpt-6-astra", input: 3000, output: 30 },
      { source: "judge", model: "gpt-6-luna", input: 1000, output: 10 },
    ])
    expect(total.costUsd).toBeCloseTo(0.0315 + 0.000105, 6)
    expect((await run("usage")).stdout).toMatch(/judge\s+gpt-6-luna\s+1\s+1000\s+0\s+10\s+\$0\.0001/)
  })

  const failures: [
    string,
    Parameters<Awaited<ReturnType<typeof open>>["server"]["script"]>[0],
    RegExp,
    number,
  ][] = [
    ["a wrong key", [{ fail: 401 }], /OpenAI does not accept the key; .*reverie login openai/, 1],
    ["an unknown model", [{ fail: 404 }], /OpenAI has no model gpt-6-luna; .*reverie config set/, 1],
    ["no credit", [{ fail: "no-credit" }], /OpenAI refuses for lack of credit/, 1],
    ["a rate limit", [{ fail: 429, retryAfter: 60 }], /OpenAI limits your requests for now/, 5],
  ]
  it.each(failures)("tells %s in one sentence", async (_, steps, sentence, code) => {
    const installation = await open()
    await usePaidKeys(installation)
    installation.server.script(steps)
    const ended = await installation.run("models", "--test", "judge")
    expect(ended.code).toBe(code)
    expect(ended.stdout.trim()).toMatch(sentence)
    expect(ended.stdout.trim().split("\n")).toHaveLength(1)
  })

  it("tells an unreachable server and a model that is not there", async () => {
    const { run } = await open()
    await run("config", "set", "models.local_url", "http://127.0.0.1:1/v1")
    await run("config", "set", "models.provider", "local")
    const { code, stdout } = await run("models", "--test", "judge")
    expect(code).toBe(1)
    expect(stdout).toMatch(/local is configured but cannot be used: The server at http:\S+ cannot be reached/)
  })

  it("refuses settings that make no sense, and leaves the file as it was", async () => {
    const { run, home } = await open()
    const before = readFileSync(join(home, "config.toml"), "utf8")
    for (const [key, value] of [
      ["models.provider", "chatgtp"],
      ["models.judge", "two words"],
      ["models.daily_usd", "-1"],
      ["models.local_url", "localhost"],
      ["budget.reserve", "2"],
    ] as const) {
      const ended = await run("config", "set", key, value)
      expectSentence(ended, 2, new RegExp(`${key} must be`))
    }
    expect(readFileSync(join(home, "config.toml"), "utf8")).toBe(before)
  })

  it("stops after repeated wrong keys, says so, and goes on after --retry", async () => {
    const installation = await open()
    const { server, run, daemon, paths } = installation
    await usePaidKeys(installation)
    await daemon()
    server.script([{ fail: 401 }, { fail: 401 }, { fail: 401 }, { text: "ready" }])
    for (let count = 0; count < 4; count += 1) await run("models", "--test", "judge")
    expect(server.requests).toHaveLength(3)
    expect((await run("models")).stdout).toMatch(/held\s+openai\s+Stopped after repeated errors/)
    expect(readFileSync(paths.logFile, "utf8").match(/is stopped until you fix/g)).toHaveLength(1)
    expect((await run("models", "--retry")).stderr).toContain("1 provider will be used again")
    expect((await run("models", "--test", "judge")).code).toBe(0)
  })

  it("keeps keys out of log, journal, ledger and everything it says", async () => {
    const installation = await open()
    const { server, run, daemon, home } = installation
    await usePaidKeys(installation)
    await daemon()
    server.script([
      { fail: 401, message: `Incorrect API key provided: ${plantedKey}. You can find it elsewhere.` },
      { fail: 400, message: `Bad header Authorization: Bearer ${plantedKey}` },
      { text: "ready" },
    ])
    const said: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const ended = await run("models", "--test", "judge")
      said.push(ended.stdout, ended.stderr)
    }
    for (const command of [
      ["models", "--json"],
      ["usage", "--json"],
      ["budget", "--json"],
      ["journal"],
      ["doctor"],
    ])
      said.push((await run(...command)).stdout)
    await run("stop")
    const files = ["state/reverie.log", "data/reverie.db", "data/reverie.db-wal"].flatMap((file) => {
      try {
        return [readFileSync(join(home, file), "latin1")]
      } catch {
        return []
      }
    })
    expect(files.length).toBeGreaterThan(1)
    expect([...said, ...files].some((text) => text.includes(plantedKey.slice(8, 30)))).toBe(false)
  })
})

describe("usage and budget through the program", () => {
  it("reads what the user's own tools use, and shows whose share fills each window", async () => {
    const { tools, json, run, daemon } = await open()
    const now = Date.now()
    const shifted = fixture("codex.jsonl")
      .replaceAll(/2026-11-15T06:16:(\d\d\.\d{3}Z)/g, () => new Date(now - 60_000).toISOString())
      .replaceAll("1794726984", String(Math.floor(now / 1000) + 3600))
      .replaceAll("1794809784", String(Math.floor(now / 1000) + 86_400))
    const file = join(tools, "codex/sessions/2026/11/15/rollout-2026-11-15T06-16-41-x.jsonl")
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, shifted)
    const { entry } = await daemon()
    await entry("usage.metered")
    const { rows } = await json<Answer<"usage">>("usage")
    expect(rows).toMatchObject([{ source: "user", model: "gpt-5.3-codex", calls: 2 }])
    const { others, pool } = await json<Answer<"budget">>("budget")
    expect(pool).toBeNull()
    expect(others).toMatchObject([
      {
        pool: "openai-subscription",
        windows: [
          { id: "5h", capacity: 100, user: 12.5, ambient: 0, learnedFrom: "transcript" },
          { id: "7d", capacity: 100, user: 40, ambient: 0 },
        ],
      },
    ])
    expect((await run("budget")).stdout).toMatch(/7d\s+█+░+\s+you 40 %, Reverie 0 %, left 60 %/)
  })

  it("reads nothing of the user's tools where that is switched off", async () => {
    const { tools, json, run } = await open()
    const file = join(tools, "codex/sessions/2026/11/15/rollout-x.jsonl")
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(
      file,
      fixture("codex.jsonl").replaceAll(/2026-11-15T06:16:41/g, () => new Date().toISOString().slice(0, 19)),
    )
    await run("config", "set", "budget.learn_from_tools", "false")
    expect((await json<Answer<"usage">>("usage")).rows).toEqual([])
    await run("config", "set", "budget.learn_from_tools", "true")
    expect((await json<Answer<"usage">>("usage")).rows).toHaveLength(1)
  })

  it("pauses while the user works on the same allowance, and says when next", async () => {
    const installation = await open()
    const { server, json, run } = installation
    await usePaidKeys(installation)
    const resetAt = Date.now() + 3_600_000
    server.script([
      {
        text: "ready",
        headers: codexWindows({ primary: { usedPercent: 100, windowMinutes: 300, resetAt } }),
      },
    ])
    const before = await json<Answer<"budget">>("budget")
    expect(before).toMatchObject({ pool: "openai-key", mayRun: true, windows: [{ id: "day", unit: "usd" }] })
    await run("models", "--test", "gardener")
    const after = await json<Answer<"budget">>("budget")
    expect(after.mayRun).toBe(false)
    expect(after.windows[0]).toMatchObject({ id: "5h", remaining: 0 })
    expect(Date.parse(after.nextAt ?? "")).toBeGreaterThan(Date.now() + 3_000_000)
  })

  it("learns Claude's windows from its status line, and answers with one line", async () => {
    const { start, json, daemon, run } = await open()
    const told = JSON.stringify({
      rate_limits: { five_hour: { used_percentage: 30, resets_at: Math.floor(Date.now() / 1000) + 3600 } },
    })
    const line = async (input: string) => {
      const child = start("statusline")
      child.stdin?.end(input)
      let said = ""
      for await (const chunk of child.stdout ?? []) said += chunk
      return said
    }
    expect(await line(told)).toBe("reverie: not running\n")
    await daemon()
    await run("memory", "add", "The staging database runs on port 5433")
    expect(await line(told)).toMatch(/^reverie: 1 memory · [^\n]+\n$/)
    expect(await line("not json")).toMatch(/^reverie: 1 memory · [^\n]+\n$/)
    const { others } = await json<Answer<"budget">>("budget")
    expect(others).toMatchObject([
      { pool: "anthropic-subscription", windows: [{ id: "5h", user: 30, learnedFrom: "statusline" }] },
    ])
  })

  it("is not held back by a limit per minute that has reset, also after the daemon was started anew", async () => {
    const { server, run, json, daemon } = await open()
    await run("config", "set", "models.local_url", `${server.url}/v1`)
    await run("config", "set", "models.local_model", "qwen")
    await run("config", "set", "models.provider", "local")
    const spent = openAiBuckets({
      requests: { limit: 60, remaining: 0, resetMs: 20 },
      tokens: { limit: 1000, remaining: 0, resetMs: 20 },
    })
    server.script([{ text: "ready", headers: spent }])
    const first = await daemon()
    expect((await run("models", "--test", "gardener")).code).toBe(0)
    // The command may be quicker than the limits are.
    await expect.poll(async () => (await json<Answer<"budget">>("budget")).mayRun).toBe(true)
    for (const _ of ["now", "again"]) {
      const { mayRun, windows } = await json<Answer<"budget">>("budget")
      expect(mayRun).toBe(true)
      expect(windows.map(({ id }) => id)).toEqual(["requests", "tokens"])
    }
    await run("stop")
    await first.ended
    await daemon()
    expect(await json<Answer<"budget">>("budget")).toMatchObject({ mayRun: true })
  })

  it("keeps the judge quiet where a percent window leaves nothing, and says why", async () => {
    const installation = await open()
    const { server, run, json, daemon } = installation
    await usePaidKeys(installation)
    await run("config", "set", "recall.wait_ms", "0")
    const resetAt = Date.now() + 3_600_000
    const choice = { calls: [{ name: "choose_memories", input: { relevant: [1] } }] }
    const full = codexWindows({ primary: { usedPercent: 97, windowMinutes: 300, resetAt } })
    server.script([choice, { ...choice, headers: full }])
    const { client, entry } = await daemon()
    await client.add({ content: "The deploy script needs the staging flag", confidence: 0.5 })
    const ask = (id: string) =>
      client.recallTurn({
        session: { id: `codex:${id}`, tool: "codex" },
        happening: { kind: "prompt", text: "Which flag does the deploy script need?" },
      })
    await ask("first")
    await entry("memory.verified")
    expect(server.requests).toHaveLength(2)
    await ask("second")
    const { jobs } = await json<Answer<"models">>("models")
    const judge = jobs.find(({ job }) => job === "judge")
    expect(judge?.chosen).toBeNull()
    expect(judge?.candidates.find(({ access }) => access === "openai")).toMatchObject({
      isWaiting: true,
      why: expect.stringMatching(/You may need the rest of the 5h window; it resets in/),
    })
    const entries = async () => (await client.journal({ kind: "recall.prepared" })).entries
    await expect.poll(async () => (await entries()).length).toBeGreaterThanOrEqual(2)
    expect((await entries()).map(({ data }) => (data as { decidedBy: string }).decidedBy)).toContain("gate")
    expect(server.requests).toHaveLength(2)
  })
})
