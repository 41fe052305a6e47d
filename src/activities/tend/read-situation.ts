import { ambientState } from "../../attention/ambient-state.ts"
import { budgetStatus } from "../../attention/budget-status.ts"
import { lastCycle } from "../../attention/cycles.ts"
import { waitingItems } from "../../attention/queue.ts"
import { openTriggers } from "../../attention/trigger.ts"
import { decideWake, type Situation } from "../../attention/wake.ts"
import type { Models } from "../../llm/choice/models.ts"
import { poolOf } from "../../llm/limits/pools.ts"
import type { InstallCore } from "../../storage/core.ts"
import { gardenedElsewhereUntil } from "./one-gardener.ts"

export interface SituationNeeds extends InstallCore {
  models: Pick<Models, "choose">
  /** When the user, or an agent that works for them, was last active; null for never. */
  lastUserAt(): Promise<number | null>
}

const minuteMs = 60_000

/** Reads everything that decides when to wake. Changes nothing, and asks no model. */
export async function readSituation(needs: SituationNeeds): Promise<Situation> {
  const { db, clock, config, install } = needs
  const now = clock.now()
  const state = await ambientState(db, install)
  const last = await lastCycle(db, install, now)
  const queue = (await waitingItems(db, install)).filter((item) => item.state === "waiting")
  const isInterrupted = last?.status === "interrupted"
  const situation: Situation = {
    now,
    isEnabled: config.ambient.enabled && config.memory.enabled,
    pausedUntil: state.pausedUntil === "for-ever" ? Number.POSITIVE_INFINITY : state.pausedUntil,
    pausedAt: state.pausedAt,
    isRunning: false,
    otherInstallUntil: await gardenedElsewhereUntil(needs),
    lastCycleAt: (isInterrupted ? last.startedAt : (last?.endedAt ?? last?.startedAt)) ?? null,
    wasInterrupted: isInterrupted || (last?.model === null && last.progress.todos.some(({ done }) => !done)),
    requestedAt: state.requestedWake?.at ?? null,
    queue,
    triggers: await openTriggers(db, install),
    ...(await userNow(needs, now)),
    model: null,
    minIntervalMs: config.budget.min_interval_minutes * minuteMs,
    maxIntervalMs:
      Math.max(config.budget.max_interval_minutes, config.budget.min_interval_minutes) * minuteMs,
  }
  // The budget takes the longest to read, and matters only if nothing else blocks the cycle.
  const first = decideWake(situation)
  const isOpen = first.outcome === "run" || first.block.gate === "not-due" || first.block.gate === "too-soon"
  if (!isOpen) return situation
  const model = await modelNow(needs)
  // The budget's "now" is later than the time at which this function began.
  return { ...situation, model, now: clock.now() }
}

async function userNow({ config, lastUserAt }: SituationNeeds, now: number) {
  const at = await lastUserAt()
  const activeMs = config.budget.user_active_minutes * minuteMs
  const isActive = at !== null && now - at < activeMs && config.budget.when_user_active === "pause"
  return { isUserActive: isActive, userActiveUntil: at === null ? null : at + activeMs }
}

/** The budget's answer for the gardener's model; null if there is none: tending by rules is free. */
async function modelNow(needs: SituationNeeds): Promise<Situation["model"]> {
  const { chosen } = await needs.models.choose("gardener")
  if (chosen === null) return null
  const { decision } = await budgetStatus(needs, poolOf(chosen.access), chosen.model)
  const { mayRun, nextAt, reason } = decision
  return { mayRun, nextAt, reason }
}
