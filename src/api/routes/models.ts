import { Hono } from "hono"
import { isoTime } from "../../base/clock.ts"
import { readStatusLine } from "../../coding/usage/status-line.ts"
import { type Job, jobs, sourceFor } from "../../llm/choice/catalog.ts"
import type { Failure } from "../../llm/failure.ts"
import { totalOf, usageByDay } from "../../llm/ledger.ts"
import { poolStates, resumePool } from "../../llm/limits/pool-state.ts"
import { poolName } from "../../llm/limits/pools.ts"
import { keepReadings } from "../../llm/limits/store.ts"
import { answering } from "../../safety/dispatch.ts"
import { schemaVersion } from "../answers/answer.ts"
import { budgetAnswer } from "../answers/budget.ts"
import {
  type BudgetAnswer,
  type LearnedAnswer,
  type ModelsAnswer,
  type RetriedAnswer,
  requests,
  type TestedAnswer,
  type UsageAnswer,
} from "../contract.ts"
import { bodyOf, byOf, queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

const dayMs = 86_400_000

/** Which models may be asked, what was used, and what may still be. */
export function modelRoutes(needs: AppNeeds): Hono {
  const { db, install, clock } = needs
  const routes = new Hono()
  routes.get("/models", async (context) => {
    const choices = await Promise.all(jobs.map((job) => needs.models.choose(job)))
    const states = await poolStates(db, install)
    return context.json<ModelsAnswer>({
      schemaVersion,
      jobs: choices,
      ways: await needs.models.states(),
      pools: states.map(({ refusedAt, blockedUntil, stoppedAt, ...state }) => ({
        ...state,
        name: poolName(state.pool),
        blockedUntil: timeOrNull(blockedUntil),
        stoppedAt: timeOrNull(stoppedAt),
      })),
    })
  })
  routes.post("/models/retry", async (context) => {
    const by = byOf(context, needs)
    const now = clock.now()
    const pools = await db.write(async (transaction) => {
      const states = await poolStates(transaction, install)
      const held = states.filter(
        ({ stoppedAt, blockedUntil }) => stoppedAt !== null || (blockedUntil ?? 0) > now,
      )
      for (const { pool } of held) await resumePool(transaction, install, { pool, now }, by)
      return held.map(({ pool }) => pool)
    })
    return context.json<RetriedAnswer>({ schemaVersion, outcome: "resumed", pools })
  })
  routes.post("/models/test", async (context) => {
    const { job } = await bodyOf(context, requests.testModel)
    return context.json<TestedAnswer>(await testModel(needs, job))
  })
  routes.get("/usage", async (context) => {
    const { days, zone } = queryOf(context, requests.usage)
    await needs.beforeUsage?.()
    const zoneMs = zone * 60_000
    const local = clock.now() + zoneMs
    const query = { install, since: local - (local % dayMs) - zoneMs - (days - 1) * dayMs }
    const rows = await usageByDay(db, query, zoneMs)
    return context.json<UsageAnswer>({ schemaVersion, days, total: await totalOf(db, query), rows })
  })
  routes.get("/budget", async (context) => {
    await needs.beforeUsage?.()
    return context.json<BudgetAnswer>(await budgetAnswer(needs))
  })
  routes.post("/limits", async (context) => {
    const { input } = await bodyOf(context, requests.learnLimits)
    const readings = readStatusLine(input, clock.now()).map((reading) => ({
      ...reading,
      pool: "anthropic-subscription" as const,
      learnedFrom: "statusline" as const,
    }))
    const kept = await db.write((transaction) => keepReadings(transaction, install, readings))
    return context.json<LearnedAnswer>({ schemaVersion, outcome: "learned", readings: kept })
  })
  return routes
}

const testLimits = { steps: 1, calls: 1, tokens: 20_000, wallMs: 120_000 }

async function testModel(needs: AppNeeds, job: Job): Promise<TestedAnswer> {
  const startedAt = needs.clock.now()
  const { end, by, spent } = await needs.models.converse(
    job,
    {
      system: "You are being tested for whether you can be reached. Answer with the one word: ready.",
      messages: [{ role: "user", text: "Are you there?" }],
      ...answering([]),
      limits: testLimits,
      maxOutputTokens: 2000,
      signal: new AbortController().signal,
    },
    { source: sourceFor[job], cycle: null, cause: "test" },
  )
  if (by !== undefined && (end.reason === "answered" || end.reason === "cut-off")) {
    const tookMs = Math.round(needs.clock.now() - startedAt)
    return { schemaVersion, outcome: "answered", job, by, tookMs, spent }
  }
  const late: Failure = { kind: "timeout", message: "It took too long." }
  const { retryAt, ...failure } = end.reason === "failed" ? end.failure : late
  const told = retryAt === undefined ? failure : { ...failure, retryAt: isoTime(retryAt) }
  return { schemaVersion, outcome: "failed", job, failure: told }
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at)
}
