import { ambientState } from "../../attention/ambient-state.ts"
import { type Cycle, endCycle, leftOverCycles, listCycles } from "../../attention/cycles.ts"
import { releaseItems, waitingItems } from "../../attention/queue.ts"
import { type Scheduler, startScheduler } from "../../attention/scheduler.ts"
import { budgetStanding } from "../../attention/standing.ts"
import { noteTrigger, openTriggers, type TriggerKind } from "../../attention/trigger.ts"
import type { Situation, WakeReason } from "../../attention/wake.ts"
import { newId } from "../../base/random.ts"
import { poolOf } from "../../llm/pools.ts"
import { lastEntry, readJournal } from "../../storage/journal.ts"
import { runCycle, type TendNeeds } from "./tend.ts"

/** What tending needs beyond a cycle. */
export interface TendingNeeds extends TendNeeds {
  /** When the user last did something, in whatever tool; null for never. */
  lastUserAt(): Promise<number | null>
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Tends for as long as the daemon lives: mends what a crash left, then wakes whenever it is time. */
export async function startTending(needs: TendingNeeds): Promise<Scheduler> {
  let leftOver = await recover(needs)
  const events = createEventReader(needs)
  return startScheduler({
    clock: needs.clock,
    log: needs.log,
    async look() {
      await events.read()
      return lookAround(needs)
    },
    async run(why: WakeReason, signal) {
      const state = await ambientState(needs.db, needs.install)
      const [lastCycle] = await listCycles(needs.db, needs.install, 1)
      const isTrusted = state.isTrusted || state.goodCycles >= needs.config.ambient.trusted_after_cycles
      const cycle = await runCycle(needs, why, { lastCycle, leftOver, isTrusted }, signal)
      leftOver = []
      const { status, summary } = cycle
      needs.log.info("A cycle has ended", { cycle: cycle.id, status, summary })
    },
    onNews: (listener) => needs.db.onCommit(listener),
  })
}

/** Cycles that died with their process are marked so and what they had taken waits again. Nothing is replayed. */
async function recover(needs: TendingNeeds): Promise<string[]> {
  const { db, clock, install, random, log } = needs
  const dead = await leftOverCycles(db, install)
  const now = clock.now()
  for (const cycle of dead) {
    const by = { operation: newId(random, "op"), actor: "daemon" }
    const summary = `It was interrupted while ${cycle.progress.phase}; the next cycle goes on from there.`
    await db.write(async (transaction) => {
      await endCycle(transaction, { id: cycle.id, now }, { ...cycle, status: "interrupted", summary }, by)
      await releaseItems(transaction, { now, cycle: cycle.id, pauseMs: 0 }, by)
    })
    log.warn("A cycle was interrupted", { cycle: cycle.id, phase: cycle.progress.phase })
  }
  return dead.flatMap(openTodos)
}

function openTodos({ progress }: Cycle): string[] {
  return progress.todos.filter(({ done }) => !done).map(({ text }) => text)
}

/** One look at everything that decides when to wake; reads only, and asks no model. */
async function lookAround(needs: TendingNeeds): Promise<Situation> {
  const { db, clock, config, install } = needs
  const now = clock.now()
  const state = await ambientState(db, install)
  const [last] = await listCycles(db, install, 1)
  const queue = (await waitingItems(db, install)).filter((item) => item.state === "waiting")
  const triggers = await openTriggers(db, install)
  const lastUserAt = await needs.lastUserAt()
  const activeMs = config.budget.user_active_minutes * minuteMs
  const isUserActive =
    lastUserAt !== null && now - lastUserAt < activeMs && config.budget.when_user_active === "pause"
  return {
    now,
    isEnabled: config.ambient.enabled && config.memory.enabled,
    pausedUntil: state.pausedUntil === "for-ever" ? Number.POSITIVE_INFINITY : state.pausedUntil,
    isRunning: false,
    lastCycleAt: last?.endedAt ?? last?.startedAt ?? null,
    wishAt: state.wish?.at ?? null,
    queue,
    triggers,
    isUserActive,
    userActiveUntil: lastUserAt === null ? null : lastUserAt + activeMs,
    budget: await budgetNow(needs),
    minIntervalMs: config.budget.min_interval_minutes * minuteMs,
    maxIntervalMs:
      Math.max(config.budget.max_interval_minutes, config.budget.min_interval_minutes) * minuteMs,
  }
}

/** What the budget says of the gardener's model; null where none can be asked: gardening by rules is free. */
async function budgetNow(needs: TendingNeeds): Promise<Situation["budget"]> {
  const { chosen } = await needs.models.choose("gardener")
  if (chosen === null) return null
  const { decision } = await budgetStanding(needs, poolOf(chosen.access), chosen.model)
  const { mayRun, nextAt, lookAgainAt, reason } = decision
  return { mayRun, nextAt, lookAgainAt, reason }
}

/** Journal entries that ask for a cycle. */
const triggerByEntry: Record<string, TriggerKind> = {
  "session.crashed": "session-crashed",
  "session.closed": "session-closed",
  "repository.pushed": "push",
}

/** Turns what happened since the last look into triggers: entries of the journal, and the user having gone. */
function createEventReader(needs: TendingNeeds) {
  const { db, clock, install, random, config } = needs
  let seen: number | undefined
  let idleNoted = false
  const note = async (kind: TriggerKind, about: string | null) => {
    const by = { operation: newId(random, "op"), actor: "daemon" }
    const where = { install, random, now: clock.now() }
    await db.write((transaction) => noteTrigger(transaction, where, { kind, about }, by))
  }
  return {
    async read(): Promise<void> {
      seen ??= await lastEntry(db)
      const kinds = Object.keys(triggerByEntry)
      const newest = await lastEntry(db)
      const entries = await readJournal(db, { after: seen, kind: kinds, limit: 500 })
      const read = entries.at(-1)?.seq ?? newest
      seen = entries.length === 500 ? read : Math.max(newest, read)
      for (const { kind, subject } of entries) {
        const trigger = triggerByEntry[kind]
        if (trigger) await note(trigger, subject)
      }
      const lastUserAt = await needs.lastUserAt()
      const isIdle = lastUserAt !== null && clock.now() - lastUserAt > config.budget.idle_after_hours * hourMs
      if (isIdle && !idleNoted) await note("user-idle", null)
      idleNoted = isIdle
    },
  }
}
