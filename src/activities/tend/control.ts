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
import { noteTrigger } from "../../attention/trigger.ts"
import { type TrustLevel, trustLevel } from "../../attention/trust.ts"
import { UserError } from "../../base/errors.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { By, JournalKind } from "../../storage/journal.ts"

function where({ install, random, clock }: InstallCore) {
  return { install, random, now: clock.now() }
}

/** Pauses until a moment, or until it is resumed. */
export function pause(needs: InstallCore, until: number | "for-ever", by: By): Promise<void> {
  const pausedAt = needs.clock.now()
  return change(needs, { pausedUntil: until, pausedAt }, { ...by, kind: "ambient.paused", data: { until } })
}

/** Ends a pause. */
export function resume(needs: InstallCore, by: By): Promise<void> {
  return change(needs, { pausedUntil: null }, { ...by, kind: "ambient.resumed" })
}

/** Says how far it is trusted; null takes it back, and the cycles that are approved from now on count. */
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
  await needs.db.write((transaction) => changeAmbientState(transaction, where(needs), state, entry))
}

/** Asks for a cycle now. */
export async function wake(needs: InstallCore, by: By): Promise<void> {
  await needs.db.write((transaction) => noteTrigger(transaction, where(needs), { kind: "command" }, by))
}

/** Plans something for a cycle. */
export function enqueue(needs: InstallCore, item: NewItem, by: By): Promise<QueueItem> {
  return needs.db.write((transaction) => addItem(transaction, where(needs), item, by))
}

/** Takes something out of the queue. */
export async function cancel(needs: InstallCore, id: string, by: By): Promise<QueueItem> {
  return needs.db.write(async (transaction) => {
    const item = await findItem(transaction, needs.install, id)
    if (item === undefined)
      throw new UserError("not-found", `There is no ${id} in the queue; \`reverie queue\` lists what waits.`)
    if (!(await cancelItem(transaction, { id: item.id, now: needs.clock.now() }, by)))
      throw new UserError(
        "conflict",
        `${item.id} is ${item.state === "claimed" ? "in work" : item.state} and cannot be cancelled any more.`,
      )
    return { ...item, state: "cancelled" }
  })
}

/** How it stands with tending, for people and programs. */
export interface Ambient {
  /** idle, running, scheduled, paused (why), off */
  status: "running" | "scheduled" | "paused" | "off" | "stopped"
  reason: string
  queue: QueueItem[]
  lastCycle: Cycle | null
  nextWake: number | null
  /** Until when the user said to wait, whether the daemon runs or not. */
  pausedUntil: number | "for-ever" | null
  trust: Trust
}

/** How far it is trusted, and why. */
interface Trust {
  level: TrustLevel
  /** What the user said themselves. */
  said: TrustLevel | null
  /** Cycles they approved that count, and how many each step takes. */
  approved: number
  steps: { garden: number; work: number }
}

/** One look for the widget, the status and the status line. */
export async function ambientNow(needs: InstallCore, scheduler: Scheduler | undefined): Promise<Ambient> {
  const state = await ambientState(needs.db, needs.install)
  const [newest = null] = await listCycles(needs.db, needs.install, 1)
  const lastCycle = newest && asItStands(newest, scheduler !== undefined)
  return {
    ...standing(scheduler),
    queue: await waitingItems(needs.db, needs.install),
    lastCycle,
    pausedUntil: stillPaused(state.pausedUntil, needs.clock.now()),
    trust: await trustNow(needs, state),
  }
}

/** How far it is trusted now. */
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

/** A cycle that is said to run while nobody is there to run it has died; the next start writes that down. */
export function asItStands(cycle: Cycle, isTended: boolean): Cycle {
  if (isTended || cycle.status !== "running") return cycle
  const summary = "Its process died; the daemon goes on from there when it is started."
  return { ...cycle, status: "interrupted", summary }
}

function standing(scheduler: Scheduler | undefined): Pick<Ambient, "status" | "reason" | "nextWake"> {
  if (scheduler === undefined)
    return { status: "stopped", reason: "The daemon is not running.", nextWake: null }
  if (scheduler.phase() === "tending")
    return { status: "running", reason: "A cycle is running.", nextWake: null }
  const last = scheduler.last()
  if (last === undefined || last.outcome === "run")
    return { status: "scheduled", reason: "It has just started.", nextWake: null }
  const { block, until } = last
  const nextWake = Number.isFinite(until) ? until : null
  switch (block.gate) {
    case "disabled":
      return { status: "off", reason: block.reason, nextWake: null }
    case "paused":
    case "user-active":
    case "budget":
      return { status: "paused", reason: block.reason, nextWake }
    default:
      return { status: "scheduled", reason: block.reason, nextWake }
  }
}
