import { type BudgetStatus, budgetStatus } from "../../attention/budget-status.ts"
import { isoTime } from "../../base/clock.ts"
import type { Pool } from "../../llm/limits/limit-reading.ts"
import { poolName, poolOf } from "../../llm/limits/pools.ts"
import { newestReadings } from "../../llm/limits/store.ts"
import type { Answers } from "../contract/answers.ts"
import type { WindowJson, WindowShares } from "../contract/tending-answers.ts"
import type { AppNeeds } from "../needs.ts"

/** The budget of the gardener: what its cycles may spend now. */
export async function budgetAnswer(needs: AppNeeds): Promise<Answers["budget"]> {
  const choice = await needs.models.choose("gardener")
  const ref = choice.chosen ?? waitingModel(choice.candidates)
  if (ref === null) return { ...noBudget, reason: choice.why, others: await otherPools(needs, null) }
  const pool = poolOf(ref.access)
  const status = await budgetStatus(needs, pool, ref.model)
  const { mayRun, nextAt, intervalMs, rule, reason } = status.decision
  return {
    pool,
    poolName: poolName(pool),
    model: ref,
    mayRun: mayRun && choice.chosen !== null,
    nextAt: isoTime(nextAt),
    intervalMinutes: Math.round(intervalMs / 6000) / 10,
    rule,
    reason,
    cycleTokens: status.cycleTokens,
    windows: presentWindows(status),
    others: await otherPools(needs, pool),
  }
}

async function otherPools(needs: AppNeeds, except: Pool | null): Promise<Answers["budget"]["others"]> {
  const readings = await newestReadings(needs.db, needs.install)
  const known = new Set(readings.map(({ pool }) => pool).filter((pool) => pool !== except))
  const statuses = await Promise.all([...known].map((pool) => budgetStatus(needs, pool)))
  return statuses
    .map((status) => ({
      pool: status.pool,
      poolName: poolName(status.pool),
      windows: presentWindows(status),
    }))
    .filter(({ windows }) => windows.length > 0)
}

function presentWindows({ decision, readings }: BudgetStatus): WindowJson[] {
  return decision.windows.map(({ resetsAt, lengthMs, ...window }) => {
    const reading = readings.find((one) => one.window === window.id)
    return {
      ...window,
      resetsAt: isoTime(resetsAt),
      minutes: lengthMs / 60_000,
      readAt: reading ? isoTime(reading.at) : null,
      learnedFrom: reading?.learnedFrom ?? null,
    }
  })
}

const noBudget: Answers["budget"] = {
  pool: null,
  poolName: null,
  model: null,
  mayRun: false,
  nextAt: null,
  intervalMinutes: null,
  rule: "no-model",
  reason: "",
  cycleTokens: 0,
  windows: [],
  others: [],
}

/** A model that has to wait still has a budget to show. */
function waitingModel(
  candidates: readonly {
    access: NonNullable<Answers["budget"]["model"]>["access"]
    model: string | null
    isWaiting: boolean
  }[],
) {
  const found = candidates.find(({ isWaiting, model }) => isWaiting && model !== null)
  return found?.model ? { access: found.access, model: found.model } : null
}

/** The budget for the status; null without a model or a daemon. */
export async function shortBudget(needs: AppNeeds): Promise<Answers["status"]["budget"]> {
  if (!needs.daemon) return null
  const { pool, mayRun, nextAt, rule, reason, windows } = await budgetAnswer(needs)
  return pool === null ? null : { pool, mayRun, nextAt, rule, reason, windows: windows.map(sharesOf) }
}

function sharesOf({ id, capacity, user, ambient, remaining, resetsAt }: WindowJson): WindowShares {
  const percent = (part: number) => (capacity > 0 ? Math.round((part / capacity) * 1000) / 10 : 0)
  return { id, user: percent(user), ambient: percent(ambient), remaining: percent(remaining), resetsAt }
}
