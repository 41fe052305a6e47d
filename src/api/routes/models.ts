import { isoTime } from "../../base/clock.ts"
import { readStatusLine } from "../../coding/usage/status-line.ts"
import { type Job, jobs, sourceFor } from "../../llm/choice/catalog.ts"
import type { Failure } from "../../llm/failure.ts"
import { totalOf, usageByDay } from "../../llm/ledger.ts"
import { poolStates, resumePool } from "../../llm/limits/pool-state.ts"
import { poolName, poolOf } from "../../llm/limits/pools.ts"
import { saveReadings } from "../../llm/limits/store.ts"
import { accountIds } from "../../llm/signin/account-ids.ts"
import { withReadOnlyGuard } from "../../safety/dispatch.ts"
import { appendEntry } from "../../storage/journal.ts"
import { budgetAnswer } from "../answers/budget.ts"
import type { Answers } from "../contract/answers.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { AppNeeds } from "../needs.ts"
import type { AddRoute } from "../routing.ts"

const dayMs = 86_400_000

/** Models, their accounts, usage and budget. */
export function modelRoutes(on: AddRoute, needs: AppNeeds): void {
  credentialRoutes(on, needs)
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
    const saved = await db.write((transaction) => saveReadings(transaction, install, readings))
    return { outcome: "learned", readings: saved }
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
      ...withReadOnlyGuard([]),
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

/** Journal entries for sign-ins and keys. The secrets themselves never pass through the API. */
function credentialRoutes(on: AddRoute, needs: AppNeeds): void {
  on("noteCredential", async ({ account, change }, call) => {
    const by = call.by()
    const kind = `credential.${change}` as const
    const now = needs.clock.now()
    await needs.db.write(async (transaction) => {
      await appendEntry(transaction, { ...by, at: now, kind, subject: account })
      // A new key ends a stop that a wrong key caused.
      const ofModels = accountIds.find((one) => one === account)
      if (change === "saved" && ofModels !== undefined)
        await resumePool(transaction, needs.install, { pool: poolOf(ofModels), now }, by)
    })
    return { outcome: "noted" }
  })
}
