import { expect, it } from "vitest"
import { totalOf, usageByDay, useOverTime } from "../../src/llm/ledger.ts"
import { poolState, resumePool } from "../../src/llm/limits/pool-state.ts"
import { newestReadings } from "../../src/llm/limits/store.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { openAiBuckets } from "../../testkit/model-server/rate-headers.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openModelWorld, plantedKey } from "../../testkit/worlds/model-world.ts"

const luna = { access: "openai", model: "gpt-6-luna" } as const
const qwen = { access: "local", model: "qwen3" } as const
const hour = 3_600_000

describeDatabases("asking a model", (create) => {
  it("puts every call into the ledger and the journal, with what it cost", async () => {
    const world = await openModelWorld(await create())
    world.server.script([{ text: "yes", usage: { input: 1_000_000, cached: 400_000, output: 10_000 } }])
    expect(await world.ask(luna)).toMatchObject({ outcome: "answered", text: "yes" })

    const cost = 2 * (0.6 * 0.1 + 0.4 * 0.01 + 0.01 * 0.5)
    const [row] = await usageByDay(world.db, { install: world.install }, 0)
    expect(row).toMatchObject({
      day: "2026-01-01",
      source: "ambient",
      pool: "openai-key",
      model: "gpt-6-luna",
      calls: 1,
      failed: 0,
      input: 1_000_000,
      cachedInput: 400_000,
      output: 10_000,
    })
    expect(row?.costUsd).toBeCloseTo(cost, 6)
    expect(await readJournal(world.db, { kind: "model." })).toMatchObject([
      { kind: "model.called", actor: "ambient", data: { outcome: "answered", cycle: "cycle_1" } },
    ])
    const steps = await useOverTime(world.db, { install: world.install, pool: "openai-key" }, hour)
    expect(steps).toEqual([
      {
        at: world.clock.now(),
        isUser: false,
        weight: 600_000 + 40_000 + 50_000,
        tokens: 1_010_000,
        requests: 1,
      },
    ])
  })

  it("counts failed calls too, and keeps the reason without secrets", async () => {
    const world = await openModelWorld(await create())
    world.server.script([{ fail: 401, message: `Incorrect API key provided: ${plantedKey}` }])
    expect(await world.ask(luna)).toMatchObject({ outcome: "failed", failure: { kind: "auth" } })
    expect(await totalOf(world.db, { install: world.install })).toMatchObject({ calls: 1, failed: 1 })
    const rows = await world.db.read({ parts: ["select * from model_calls"], values: [] })
    const journal = await readJournal(world.db, {})
    expect(JSON.stringify([rows, journal])).not.toContain(plantedKey.slice(8))
  })

  it("takes secrets out of what is sent, except to a server of the user's own", async () => {
    const world = await openModelWorld(await create())
    world.server.script([{ text: "yes" }, { text: "yes" }])
    const question = {
      system: `The key is ${plantedKey}.`,
      messages: [
        { role: "user" as const, text: `Use ${plantedKey}` },
        { role: "assistant" as const, text: "", calls: [{ id: "c1", name: "look", input: {} }] },
        {
          role: "tool" as const,
          results: [{ callId: "c1", name: "look", text: `found ${plantedKey}`, isError: false }],
        },
      ],
    }
    await world.ask(luna, question)
    await world.ask(qwen, question)
    const [remote, local] = world.server.requests.map(({ body }) => JSON.stringify(body))
    expect(remote).not.toContain(plantedKey)
    expect(remote?.match(/\[secret\]/g)).toHaveLength(3)
    expect(local?.split(plantedKey)).toHaveLength(4)
  })

  it("learns limits from the answer", async () => {
    const world = await openModelWorld(await create())
    const headers = openAiBuckets({ tokens: { limit: 1000, remaining: 400, resetMs: 60_000 } })
    world.server.script([{ text: "yes", headers }])
    await world.ask(luna)
    expect(await newestReadings(world.db, world.install)).toMatchObject([
      { pool: "openai-key", window: "tokens", capacity: 1000, used: 600, learnedFrom: "headers" },
    ])
  })

  it("leaves a provider alone that was asked too often, twice as long each time", async () => {
    const world = await openModelWorld(await create())
    world.server.script([{ fail: 429 }, { fail: 429 }, { text: "yes" }, { fail: 429, retryAfter: 500 }])
    const start = world.clock.now()
    expect(await world.ask(luna)).toMatchObject({ failure: { kind: "rate-limited" } })
    expect(await world.ask(luna)).toMatchObject({
      failure: { kind: "rate-limited", retryAt: start + 60_000 },
    })
    expect(world.server.requests).toHaveLength(1)

    await world.clock.advance(60_000)
    await world.ask(luna)
    const state = await poolState(world.db, world.install, "openai-key")
    expect(state).toMatchObject({ refusals: 2, blockedUntil: world.clock.now() + 120_000 })

    await world.clock.advance(120_000)
    expect(await world.ask(luna)).toMatchObject({ outcome: "answered" })
    await world.ask(luna)
    const after = await poolState(world.db, world.install, "openai-key")
    expect(after.refusals).toBe(1)
    expect(after.blockedUntil).toBeGreaterThan(world.clock.now() + 400_000)
  })

  it("stops after three wrong keys, says so once, and goes on when the user has mended it", async () => {
    const world = await openModelWorld(await create())
    world.server.script([{ fail: 401 }, { fail: 401 }, { fail: 401 }, { text: "yes" }])
    for (let count = 0; count < 5; count += 1) await world.ask(luna)
    expect(world.server.requests).toHaveLength(3)
    const told = await readJournal(world.db, { kind: "pool." })
    expect(told).toMatchObject([{ kind: "pool.stopped", subject: "openai-key" }])

    const by = { operation: "op_mended", actor: "test" }
    await world.db.write((transaction) =>
      resumePool(transaction, world.install, { pool: "openai-key", now: world.clock.now() }, by),
    )
    expect(await world.ask(luna)).toMatchObject({ outcome: "answered" })
  })

  it("never spends more than the cap in any 24 hours, also after a restart", async () => {
    const store = await create()
    const world = await openModelWorld(store, { dailyUsd: 0.025 })
    const usage = { input: 100_000, output: 20_000 }
    world.server.script([
      { text: "yes", usage },
      { text: "yes", usage },
    ])
    const many = { messages: [{ role: "user" as const, text: "x".repeat(300_000) }], maxOutputTokens: 8000 }
    expect(await world.ask(luna, many)).toMatchObject({ outcome: "answered" })
    expect(await world.ask(luna, many)).toMatchObject({
      outcome: "failed",
      failure: { kind: "rate-limited", message: expect.stringContaining("models.daily_usd") },
    })
    expect(world.server.requests).toHaveLength(1)
    await world.clock.advance(24 * hour)
    expect(await world.ask(luna, many)).toMatchObject({ outcome: "answered" })
  })

  it("counts what calls under way may cost before it allows another", async () => {
    const world = await openModelWorld(await create(), { dailyUsd: 0.012 })
    world.server.script([{ text: "yes", slow: 20 }])
    const long = { maxOutputTokens: 20_000 }
    const answers = await Promise.all([world.ask(luna, long), world.ask(luna, long)])
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual(["answered", "failed"])
  })

  it("tries again what fails for a passing reason, and counts each try", async () => {
    const world = await openModelWorld(await create())
    world.server.script([{ fail: 529 }, { text: "one two three four", cut: 3 }, { text: "yes" }])
    expect(await world.askThrough(qwen)).toMatchObject({ outcome: "answered", text: "yes" })
    expect(await totalOf(world.db, { install: world.install })).toMatchObject({ calls: 3, failed: 2 })
  })

  it("gives up after the third failure", async () => {
    const world = await openModelWorld(await create())
    world.server.script([{ fail: 500 }, { fail: 500 }, { fail: 500 }])
    expect(await world.askThrough(qwen)).toMatchObject({ outcome: "failed", failure: { kind: "overloaded" } })
  })
})
