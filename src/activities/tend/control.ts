import { type AmbientState, ambientState, changeAmbientState } from "../../attention/ambient-state.ts"
import { type Cycle, countApproved, listCycles } from "../../attention/cycles.ts"
import {
  addItem,
  cancelItem,
  findItem,
  type NewItem,
  type QueueItem,
  waitingItems,
} from "../../attention/queue.ts"
import type { Scheduler } from "../../attention/scheduler.ts"
import { addTrigger } from "../../attention/trigger.ts"
import { type TrustLevel, trustLevel } from "../../attention/trust.ts"
import { pauseReason } from "../../attention/wake.ts"
import { UserError } from "../../base/errors.ts"
import { type InstallCore, writeContext } from "../../storage/core.ts"
import type { By, JournalKind } from "../../storage/journal.ts"

/** Pauses until a time, or until `resume`. */
export function pause(needs: InstallCore, until: number | "for-ever", by: By): Promise<void> {
  const pausedAt = needs.clock.now()
  return change(needs, { pausedUntil: until, pausedAt }, { ...by, kind: "ambient.paused", data: { until } })
}

export function resume(needs: InstallCore, by: By): Promise<void> {
  return change(needs, { pausedUntil: null }, { ...by, kind: "ambient.resumed" })
}

/** Sets the trust level; null resets it, and counts approved cycles from now. */
export function trust(needs: InstallCore, level: TrustLevel | null, by: By): Promise<void> {
  const kind = level === null ? "ambient.mistrusted" : "ambient.trusted"
  const state = { trust: level, ...(level === null ? { countedFrom: needs.clock.now() } : {}) }
  return change(needs, state, { ...by, kind, data: { level } })
}

async function change(
  needs: InstallCore,
  state: Parameters<typeof changeAmbientState>[2],
  entry: By & { kind: JournalKind; data?: unknown },
): Promise<void> {
  await needs.db.write((transaction) => changeAmbientState(transaction, writeContext(needs), state, entry))
}

/** Requests a cycle now. */
export async function wake(needs: InstallCore, by: By): Promise<void> {
  await needs.db.write((transaction) => addTrigger(transaction, writeContext(needs), { kind: "command" }, by))
}

/** Adds an item to the queue. */
export function enqueue(needs: InstallCore, item: NewItem, by: By): Promise<QueueItem> {
  return needs.db.write((transaction) => addItem(transaction, writeContext(needs), item, by))
}

/** Cancels a queue item. */
export async function cancel(needs: InstallCore, id: string, by: By): Promise<QueueItem> {
  return needs.db.write(async (transaction) => {
    const item = await findItem(transaction, needs.install, id)
    if (item === undefined)
      throw new UserError("not-found", `There is no ${id} in the queue; \`reverie queue\` lists what waits.`)
    if (!(await cancelItem(transaction, { id: item.id, now: needs.clock.now() }, by)))
      throw new UserError(
        "conflict",
        `${item.id} is ${item.state === "claimed" ? "in work" : item.state} and can no longer be cancelled.`,
      )
    return { ...item, state: "cancelled" }
  })
}

/** The state of the ambient agent, for people and programs. */
export interface Ambient {
  /** idle, running, scheduled, paused (why), off */
  status: "running" | "scheduled" | "paused" | "off" | "stopped"
  reason: string
  queue: QueueItem[]
  lastCycle: Cycle | null
  nextWake: number | null
  /** A pause that the user set, whether the daemon runs or not. */
  pausedUntil: number | "for-ever" | null
  trust: Trust
}

/** The trust level, and where it comes from. */
interface Trust {
  level: TrustLevel
  /** The level that the user set. */
  said: TrustLevel | null
  /** Counted approved cycles, and how many each level takes. */
  approved: number
  steps: { garden: number; work: number }
}

/** Reads the state for the widget, the status and the status line. */
export async function ambientNow(needs: InstallCore, scheduler: Scheduler | undefined): Promise<Ambient> {
  const state = await ambientState(needs.db, needs.install)
  const [newest = null] = await listCycles(needs.db, needs.install, 1)
  const lastCycle = newest && withDeadCycle(newest, scheduler !== undefined)
  const pausedUntil = stillPaused(state.pausedUntil, needs.clock.now())
  return {
    ...schedulerStatus(scheduler, pausedUntil),
    queue: await waitingItems(needs.db, needs.install),
    lastCycle,
    pausedUntil,
    trust: await trustNow(needs, state),
  }
}

export async function trustNow(
  { db, install, config }: InstallCore,
  { trust: said, countedFrom }: AmbientState,
): Promise<Trust> {
  const approved = await countApproved(db, install, countedFrom)
  const steps = { garden: config.ambient.garden_after_cycles, work: config.ambient.trusted_after_cycles }
  return { level: trustLevel(said, approved, steps), said, approved, steps }
}

function stillPaused(until: Ambient["pausedUntil"], now: number): Ambient["pausedUntil"] {
  return typeof until === "number" && until <= now ? null : until
}

/** A cycle that is marked as running without a daemon has died; the next start records that. */
export function withDeadCycle(cycle: Cycle, isTended: boolean): Cycle {
  if (isTended || cycle.status !== "running") return cycle
  const summary = "Its process died; the daemon continues from there when it starts."
  return { ...cycle, status: "interrupted", summary }
}

/** The pause that is stored counts at once: the scheduler's last decision may be older. */
function schedulerStatus(
  scheduler: Scheduler | undefined,
  pausedUntil: Ambient["pausedUntil"],
): Pick<Ambient, "status" | "reason" | "nextWake"> {
  if (scheduler === undefined)
    return { status: "stopped", reason: "The daemon is not running.", nextWake: null }
  if (scheduler.phase() === "tending")
    return { status: "running", reason: "A cycle is running.", nextWake: null }
  const last = scheduler.last()
  const block = last?.outcome === "wait" ? last.block : undefined
  if (block?.gate === "disabled") return { status: "off", reason: block.reason, nextWake: null }
  if (pausedUntil !== null) {
    const until = pausedUntil === "for-ever" ? Number.POSITIVE_INFINITY : pausedUntil
    return { status: "paused", reason: pauseReason(until), nextWake: finiteOrNull(until) }
  }
  if (block === undefined) return { status: "scheduled", reason: "It has just started.", nextWake: null }
  if (block.gate === "paused") return { status: "scheduled", reason: "The pause is over.", nextWake: null }
  const status = block.gate === "user-active" || block.gate === "budget" ? "paused" : "scheduled"
  return { status, reason: block.reason, nextWake: finiteOrNull(block.until) }
}

function finiteOrNull(time: number): number | null {
  return Number.isFinite(time) ? time : null
}
