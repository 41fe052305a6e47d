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

/** What a look at the situation needs. */
export interface LookNeeds extends InstallCore {
  models: Pick<Models, "choose">
  /** When the user, or an agent that works for them, last did something; null for never. */
  lastUserAt(): Promise<number | null>
}

const minuteMs = 60_000

/** One look at everything that decides when to wake; reads only, and asks no model. */
export async function readSituation(needs: LookNeeds): Promise<Situation> {
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
    elsewhereUntil: await gardenedElsewhereUntil(needs),
    lastCycleAt: (isInterrupted ? last.startedAt : (last?.endedAt ?? last?.startedAt)) ?? null,
    hasLeftOver: isInterrupted || (last?.model === null && last.progress.todos.some(({ done }) => !done)),
    requestedAt: state.requestedWake?.at ?? null,
    queue,
    triggers: await openTriggers(db, install),
    ...(await userNow(needs, now)),
    model: null,
    minIntervalMs: config.budget.min_interval_minutes * minuteMs,
    maxIntervalMs:
      Math.max(config.budget.max_interval_minutes, config.budget.min_interval_minutes) * minuteMs,
  }
  // What the budget says takes the longest to find out, and matters only where nothing else holds it back.
  const first = decideWake(situation)
  const isOpen = first.outcome === "run" || first.block.gate === "not-due" || first.block.gate === "too-soon"
  if (!isOpen) return situation
  const model = await modelNow(needs)
  // A budget that allows it "from now on" means its own now, which is later than when the look began.
  return { ...situation, model, now: clock.now() }
}

async function userNow({ config, lastUserAt }: LookNeeds, now: number) {
  const at = await lastUserAt()
  const activeMs = config.budget.user_active_minutes * minuteMs
  const isActive = at !== null && now - at < activeMs && config.budget.when_user_active === "pause"
  return { isUserActive: isActive, userActiveUntil: at === null ? null : at + activeMs }
}

/** What the budget says of the gardener's model; null where none can be asked: tending by rules is free. */
async function modelNow(needs: LookNeeds): Promise<Situation["model"]> {
  const { chosen } = await needs.models.choose("gardener")
  if (chosen === null) return null
  const { decision } = await budgetStatus(needs, poolOf(chosen.access), chosen.model)
  const { mayRun, nextAt, reason } = decision
  return { mayRun, nextAt, reason }
}
