import { expect, it } from "vitest"
import { createCallBudget, reasonNotToThink } from "../../src/attention/call-budget.ts"
import { silentLog } from "../../src/base/log.ts"
import { configSchema } from "../../src/config/schema.ts"
import type { Cause } from "../../src/llm/ask.ts"
import type { AccessId } from "../../src/llm/choice/access.ts"
import type { Job } from "../../src/llm/choice/catalog.ts"
import { recordUserCalls } from "../../src/llm/ledger.ts"
import type { Pool } from "../../src/llm/limits/limit-reading.ts"
import { saveReadings } from "../../src/llm/limits/store.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { describeDatabases, type TestDatabase } from "../../testkit/setup/databases.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const install = "install_test"
const random = createSeededRandom(1)
const log = silentLog
const pool: Pool = "anthropic-subscription"

/** The budget's word on calls, with what a ledger and readings of limits tell it. */
async function open(store: TestDatabase, budget: object = {}) {
  const clock = createManualClock()
  const db = await store.open({ clock })
  const config = configSchema.parse({ budget })
  const heldBack = createCallBudget({ db, clock, random, log, config, install })
  return {
    clock,
    held: (job: Job, access: AccessId = "claude", cause: Cause = "own") =>
      heldBack(job, { access, model: "haiku" }, cause),
    /** The same on a thought of its own in a chat channel. */
    thoughtHeld: (access: AccessId | null = "claude") => {
      const chosen = access && { access, model: "haiku" }
      const choose = async () => ({ job: "chat" as const, chosen, why: "There is none.", candidates: [] })
      return reasonNotToThink({ db, clock, random, log, config, install, models: { choose } })
    },
    userWorked: (ago: number, input = 10) =>
      db.write((transaction) =>
        recordUserCalls(transaction, install, [
          {
            id: `call_${ago}`,
            at: clock.now() - ago,
            source: "user",
            cycle: null,
            pool,
            way: "claude-code",
            model: "opus",
            input,
            cachedInput: 0,
            output: 0,
            costUsd: null,
            latencyMs: null,
            outcome: "answered",
            reason: null,
          },
        ]),
      ),
    week: (used: number, left = day) =>
      db.write((transaction) =>
        saveReadings(transaction, install, [
          {
            pool,
            window: "7d",
            unit: "percent",
            capacity: 100,
            used,
            resetsAt: clock.now() + left,
            lengthMs: 7 * day,
            at: clock.now(),
            learnedFrom: "headers",
          },
        ]),
      ),
  }
}

describeDatabases("The budget of single calls", (create) => {
  const jobs = ["judge", "extraction"] as const

  it("leaves calls alone while nothing is known and nobody works", async () => {
    const { held } = await open(await create())
    for (const job of jobs) expect(await held(job)).toBeUndefined()
  })

  it("keeps judge and extraction quiet while the user works on the same allowance, unless they ask", async () => {
    const { held, userWorked, clock } = await open(await create())
    await userWorked(minute)
    for (const job of jobs) {
      expect(await held(job)).toBe("You are working, so Reverie waits.")
      expect(await held(job, "claude", "asked")).toBeUndefined()
      expect(await held(job, "codex")).toBeUndefined()
    }
    await clock.advance(10 * minute)
    for (const job of jobs) expect(await held(job)).toBeUndefined()
  })

  it("lets a thought of its own in chat wait for the user, but not where it costs the user nothing", async () => {
    const { thoughtHeld, userWorked, week, clock } = await open(await create())
    expect(await thoughtHeld()).toBeUndefined()
    await userWorked(minute)
    expect(await thoughtHeld()).toBe("You are working, so Reverie waits.")
    expect(await thoughtHeld("local")).toBeUndefined()
    expect(await thoughtHeld(null)).toBe("There is none.")
    await clock.advance(10 * minute)
    expect(await thoughtHeld()).toBeUndefined()
    await week(100)
    expect(await thoughtHeld()).toMatch(/The 7d window is used up/)
  })

  it("goes on beside the user where the settings say to stretch", async () => {
    const { held, userWorked } = await open(await create(), { when_user_active: "stretch" })
    await userWorked(minute)
    expect(await held("judge")).toBeUndefined()
  })

  it("asks nothing where the reserve or the user's share of a percent window would be touched", async () => {
    const { held, week, userWorked, clock } = await open(await create())
    await userWorked(13 * day, 1000)
    await week(60)
    expect(await held("judge")).toBeUndefined()
    await clock.advance(minute)
    await week(88)
    for (const cause of ["own", "asked"] as const)
      expect(await held("judge", "claude", cause)).toMatch(/You may need the rest of the 7d window/)
    await clock.advance(minute)
    await week(100)
    expect(await held("extraction")).toMatch(/The 7d window is used up/)
  })

  it("holds a larger reserve back earlier", async () => {
    const store = await create()
    const { held, week, userWorked } = await open(store, { reserve: 0.95 })
    await userWorked(13 * day, 1000)
    await week(85)
    expect(await held("judge")).toMatch(/You may need the rest/)
  })

  it("never holds a server of the user's own, a test of a model, or the gardener's choice", async () => {
    const { held, week } = await open(await create())
    await week(100)
    expect(await held("judge", "local")).toBeUndefined()
    expect(await held("judge", "claude", "test")).toBeUndefined()
    expect(await held("gardener")).toBeUndefined()
  })
})
