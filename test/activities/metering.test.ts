import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { meterOnce } from "../../src/activities/metering.ts"
import { silentLog } from "../../src/base/log.ts"
import { claudeCodeMeter } from "../../src/coding/usage/claude-code.ts"
import { codexMeter } from "../../src/coding/usage/codex.ts"
import { geminiMeter } from "../../src/coding/usage/gemini-cli.ts"
import { opencodeMeter } from "../../src/coding/usage/opencode.ts"
import { piMeter } from "../../src/coding/usage/pi.ts"
import { configSchema } from "../../src/config/schema.ts"
import { totalOf, usageByDay, userCallTime } from "../../src/llm/ledger.ts"
import { newestReadings } from "../../src/llm/limits/store.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { openOpencodeDatabase, putRow, sampleTools } from "../../testkit/sessions/sample-tools.ts"
import { describeDatabases, type TestDatabase } from "../../testkit/setup/databases.ts"

const fixture = (name: string) => readFileSync(new URL(`../fixtures/usage/${name}`, import.meta.url), "utf8")
const codexLines = fixture("codex.jsonl")
const claudeLines = fixture("claude-code.jsonl")
const afterwards = Date.UTC(2026, 10, 15, 7)
const install = "install_test"

const config = configSchema.parse({})

async function openWorld(store: TestDatabase) {
  const clock = createManualClock(afterwards)
  const random = createSeededRandom(1)
  const db = await store.open({ clock, random })
  const home = throwawayFolder()
  const files = {
    codex: join(home, "codex/sessions/2026/11/15/rollout-2026-11-15T06-16-41-01a1ddd9.jsonl"),
    claude: join(home, "claude/projects/-home-ada-src-tides/f456ffe0.jsonl"),
  }
  for (const file of Object.values(files)) mkdirSync(dirname(file), { recursive: true })
  const own = "/ours/bridges"
  const meters = [codexMeter(join(home, "codex"), own), claudeCodeMeter(join(home, "claude"), own)]
  const meter = () => meterOnce({ db, clock, random, log: silentLog, config, install, meters })
  return { db, clock, files, meter, total: () => totalOf(db, { install }) }
}

describeDatabases("metering the user's own tools", (create) => {
  it("counts every request of Codex and Claude Code once", async () => {
    const { db, files, meter } = await openWorld(await create())
    writeFileSync(files.codex, codexLines)
    writeFileSync(files.claude, claudeLines)
    await meter()
    expect(await usageByDay(db, { install }, 0)).toMatchObject([
      { source: "user", pool: "anthropic-subscription", model: "claude-opus-5-5", calls: 5 },
      {
        source: "user",
        pool: "openai-subscription",
        model: "gpt-5.3-codex",
        calls: 2,
        input: 240,
        output: 30,
      },
    ])
    expect(await userCallTime(db, install, "openai-subscription", "last")).toBe(
      Date.parse("2026-11-15T06:16:41.683Z"),
    )
    expect(await readJournal(db, { kind: "usage." })).toMatchObject([
      { subject: "codex", data: { calls: 2, readings: 2 } },
      { subject: "claude-code", data: { calls: 5, readings: 0 } },
    ])
  })

  it("learns how full the windows of the subscription are", async () => {
    const { db, files, meter } = await openWorld(await create())
    writeFileSync(files.codex, codexLines)
    await meter()
    expect(await newestReadings(db, install, "openai-subscription")).toMatchObject([
      { window: "5h", used: 12.5, resetsAt: 1794726984000, learnedFrom: "transcript" },
      { window: "7d", used: 40, resetsAt: 1794809784000, learnedFrom: "transcript" },
    ])
  })

  it("goes on where it stopped, and waits for lines that are not whole yet", async () => {
    const { files, meter, total } = await openWorld(await create())
    const lines = codexLines.trimEnd().split("\n")
    const torn = lines[4] ?? ""
    writeFileSync(files.codex, `${lines.slice(0, 4).join("\n")}\n${torn.slice(0, 50)}`)
    await meter()
    expect(await total()).toMatchObject({ calls: 1 })
    await meter()
    expect(await total()).toMatchObject({ calls: 1 })
    appendFileSync(files.codex, `${torn.slice(50)}\n`)
    await meter()
    expect(await total()).toMatchObject({ calls: 2, input: 240 })
  })

  it("counts nothing twice when a file is written anew", async () => {
    const { files, meter, total } = await openWorld(await create())
    writeFileSync(files.codex, codexLines)
    await meter()
    truncateSync(files.codex, 10)
    await meter()
    writeFileSync(files.codex, codexLines)
    await meter()
    expect(await total()).toMatchObject({ calls: 2 })
  })

  it("passes over lines it does not know, and what is older than two weeks", async () => {
    const { clock, files, meter, total } = await openWorld(await create())
    const noise = [
      "",
      "no json",
      "{}",
      '{"type":"assistant","usage":1}',
      "[]",
      '{"type":"event_msg","payload":7}',
    ]
    writeFileSync(files.codex, `${noise.join("\n")}\n${codexLines}`)
    writeFileSync(files.claude, `${noise.join("\n")}\n`)
    await meter()
    expect(await total()).toMatchObject({ calls: 2 })
    await clock.advance(30 * 86_400_000)
    writeFileSync(files.claude, claudeLines)
    await meter()
    expect(await total()).toMatchObject({ calls: 2 })
  })

  it("does not count what the programs did for Reverie itself", async () => {
    const { files, meter, total } = await openWorld(await create())
    const ours = (text: string) => text.replaceAll("/home/ada/src/tides", "/ours/bridges/codex/empty")
    writeFileSync(files.codex, ours(codexLines))
    writeFileSync(files.claude, ours(claudeLines))
    await meter()
    expect(await total()).toMatchObject({ calls: 0 })
  })

  it("counts what opencode, Gemini CLI and pi used, once however often they write it", async () => {
    const store = await create()
    const clock = createManualClock(afterwards)
    const random = createSeededRandom(1)
    const db = await store.open({ clock, random })
    const home = throwawayFolder()
    const [opencode, gemini, pi] = ["opencode", "Gemini CLI", "pi"].map((name) => {
      const folder = join(home, name)
      sampleTools.find((tool) => tool.name === name)?.write(folder)
      return folder
    })
    const meters = [opencodeMeter(opencode ?? ""), geminiMeter(gemini ?? ""), piMeter(pi ?? "")]
    const meter = () => meterOnce({ db, clock, random, log: silentLog, config, install, meters })
    await meter()
    await meter()
    const rows = await usageByDay(db, { install }, 0)
    expect(rows).toMatchObject([
      { source: "user", pool: "other", model: "fake-model", calls: 4, input: 480, output: 60 },
      { source: "user", pool: "other", model: "gemini-2.5-flash", calls: 2, input: 240, output: 30 },
    ])
    expect(await readJournal(db, { kind: "usage." })).toHaveLength(3)
  })

  it("counts an answer of opencode's when it is whole, by who is asked and whether it costs", async () => {
    const clock = createManualClock(afterwards)
    const random = createSeededRandom(1)
    const db = await (await create()).open({ clock, random })
    const home = throwawayFolder()
    const theirs = openOpencodeDatabase(home)
    const meter = () =>
      meterOnce({ db, clock, random, log: silentLog, config, install, meters: [opencodeMeter(home)] })
    const put = (id: string, at: number, more: object) =>
      putRow(theirs, "message", {
        id,
        session_id: "s",
        time_created: afterwards,
        time_updated: afterwards + at,
        data: {
          role: "assistant",
          modelID: "m",
          tokens: { input: 10, output: 5, reasoning: 1, cache: { read: 100, write: 20 } },
          ...more,
        },
      })
    put("m1", 1, { providerID: "anthropic", cost: 0.5, time: { created: afterwards } })
    await meter()
    expect(await totalOf(db, { install })).toMatchObject({ calls: 0 })
    put("m1", 2, { providerID: "anthropic", cost: 0.5, time: { created: afterwards, completed: afterwards } })
    put("m2", 3, { providerID: "openai", cost: 0, time: { created: afterwards, completed: afterwards } })
    await meter()
    theirs.close()
    expect(await usageByDay(db, { install }, 0)).toMatchObject([
      { pool: "anthropic-key", input: 130, cachedInput: 100, output: 6, costUsd: 0.5 },
      { pool: "openai-subscription", input: 130, cachedInput: 100, output: 6, costUsd: 0 },
    ])
  })
})
