import { isoTime } from "../../base/clock.ts"
import { readStatusLine } from "../../coding/usage/status-line.ts"
import { type Job, jobs, sourceFor } from "../../llm/choice/catalog.ts"
import type { Failure } from "../../llm/failure.ts"
import { totalOf, usageByDay } from "../../llm/ledger.ts"
import { poolStates, resumePool } from "../../llm/limits/pool-state.ts"
import { poolName } from "../../llm/limits/pools.ts"
import { keepReadings } from "../../llm/limits/store.ts"
import { answering } from "../../safety/dispatch.ts"
import { budgetAnswer } from "../answers/budget.ts"
import type { Answers } from "../contract/answers.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

const dayMs = 86_400_000

/** Which models may be asked, what was used, and what may still be. */
export function modelRoutes(on: On, needs: AppNeeds): void {
  const { db, install, clock } = needs
  on("models", async () => {
    const choices = await Promise.all(jobs.map((job) => needs.models.choose(job)))
    const states = await poolStates(db, install)
    return {
      jobs: choices,
      ways: await needs.models.states(),
      pools: states.map(({ refusedAt, blockedUntil, ...state }) => ({
        ...isoTimes(state),
        name: poolName(state.pool),
        blockedUntil: blockedUntil === null ? null : isoTime(blockedUntil),
      })),
    }
  })
  on("retryModels", async (_asked, call) => {
    const by = call.by()
    const now = clock.now()
    const pools = await db.write(async (transaction) => {
      const states = await poolStates(transaction, install)
      const held = states.filter(
        ({ stoppedAt, blockedUntil }) => stoppedAt !== null || (blockedUntil ?? 0) > now,
      )
      for (const { pool } of held) await resumePool(transaction, install, { pool, now }, by)
      return held.map(({ pool }) => pool)
    })
    return { outcome: "resumed", pools }
  })
  on("testModel", ({ job }) => testModel(needs, job))
  on("usage", async ({ days, zone }) => {
    await needs.beforeUsage?.()
    const zoneMs = zone * 60_000
    const local = clock.now() + zoneMs
    const query = { install, since: local - (local % dayMs) - zoneMs - (days - 1) * dayMs }
    const rows = await usageByDay(db, query, zoneMs)
    return { days, total: await totalOf(db, query), rows }
  })
  on("budget", async () => {
    await needs.beforeUsage?.()
    return budgetAnswer(needs)
  })
  on("learnLimits", async ({ input }) => {
    const readings = readStatusLine(input, clock.now()).map((reading) => ({
      ...reading,
      pool: "anthropic-subscription" as const,
      learnedFrom: "statusline" as const,
    }))
    const kept = await db.write((transaction) => keepReadings(transaction, install, readings))
    return { outcome: "learned", readings: kept }
  })
}

const testLimits = { steps: 1, calls: 1, tokens: 20_000, wallMs: 120_000 }

async function testModel(needs: AppNeeds, job: Job): Promise<Answers["testModel"]> {
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
    return { outcome: "answered", job, by, tookMs, spent }
  }
  const late: Failure = { kind: "timeout", message: "It took too long." }
  return { outcome: "failed", job, failure: isoTimes(end.reason === "failed" ? end.failure : late) }
}
