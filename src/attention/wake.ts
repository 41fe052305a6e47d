import type { Priority } from "./priority.ts"
import type { TriggerKind } from "./trigger.ts"

/** A snapshot of everything that the decision to wake depends on. */
export interface Situation {
  now: number
  isEnabled: boolean
  /** The user paused it: until this time, or until they resume (infinite). */
  pausedUntil: number | null
  /** When they paused it; 0 for never. */
  pausedAt: number
  isRunning: boolean
  /** Another installation tends the same memory until this time. */
  otherInstallUntil: number | null
  /** When the last cycle ended, or began if it was interrupted; null for none yet. */
  lastCycleAt: number | null
  /** The last cycle was interrupted, and its work waits. */
  wasInterrupted: boolean
  /** When the agent asked to be woken. */
  requestedAt: number | null
  queue: readonly { dueAt: number; priority: Priority }[]
  triggers: readonly { at: number; kind: TriggerKind; priority: Priority }[]
  /** Whether the user works right now, with any provider. */
  isUserActive: boolean
  /** Until when the user counts as working if they do nothing more. */
  userActiveUntil: number | null
  /** The budget's decision for the model that would be asked; null without a model. */
  model: { mayRun: boolean; nextAt: number; reason: string } | null
  minIntervalMs: number
  maxIntervalMs: number
}

/** Why no cycle starts now. */
interface Block {
  gate: "disabled" | "running" | "elsewhere" | "paused" | "user-active" | "too-soon" | "budget" | "not-due"
  reason: string
  until: number
}

/** Whether to start a cycle now, or when to decide again. Without `mayAsk`, the cycle runs rules only. */
export type Wake =
  | { outcome: "run"; why: WakeReason; mayAsk: boolean }
  | { outcome: "wait"; until: number; block: Block }

/** Why a cycle starts. */
export type WakeReason =
  | { kind: "trigger"; trigger: TriggerKind }
  | { kind: "queue" }
  | { kind: "left-over" }
  | { kind: "requested" }
  | { kind: "ceiling" }
  | { kind: "first" }

const never = Number.POSITIVE_INFINITY

/**
 * Decides whether to start a cycle. The first gate that blocks wins; an explicit command passes the gates that protect the
 * user, not the budget. A cycle is due at the earliest of queue, requested wake and longest interval; triggers start one
 * early. Over budget, a cycle runs rules only, which costs nothing, and the queue waits.
 */
export function decideWake(situation: Situation): Wake {
  const wait = (block: Block): Wake => ({ outcome: "wait", until: block.until, block })
  const block = firstBlock(situation)
  if (block) return wait(block)
  const why = dueReason(situation)
  if (why === undefined) return wait(notYet(situation))
  const soon = tooSoon(situation)
  return soon ? wait(soon) : { outcome: "run", why, mayAsk: mayAsk(situation) }
}

/** Why a running cycle should stop now, if it should. One that the user asked for continues while they work. */
export function decideHalt(situation: Situation, why: WakeReason, since: number): string | undefined {
  if (!situation.isEnabled) return "it was switched off"
  const isPaused = situation.pausedUntil !== null && situation.pausedUntil > situation.now
  if (isPaused && situation.pausedAt >= since) return "you paused it"
  if (why.kind === "trigger" && why.trigger === "command") return undefined
  if (isPaused) return "you paused it"
  return situation.isUserActive ? "you began to work" : undefined
}

function mayAsk({ model }: Situation): boolean {
  return model?.mayRun ?? false
}

function firstBlock(situation: Situation): Block | undefined {
  const { now, isEnabled, isRunning, otherInstallUntil, pausedUntil } = situation
  if (!isEnabled) return { gate: "disabled", reason: "It is switched off (ambient.enabled).", until: never }
  if (isRunning) return { gate: "running", reason: "A cycle is running.", until: never }
  if (otherInstallUntil !== null && otherInstallUntil > now)
    return {
      gate: "elsewhere",
      reason: "Another installation tends this memory now.",
      until: otherInstallUntil,
    }
  if (isCommanded(situation)) return undefined
  if (pausedUntil !== null && pausedUntil > now) {
    return { gate: "paused", reason: pauseReason(pausedUntil), until: pausedUntil }
  }
  if (situation.isUserActive) {
    const until = situation.userActiveUntil ?? now + situation.minIntervalMs
    return { gate: "user-active", reason: "You are working; it waits until you stop.", until }
  }
  return undefined
}

/** What people are told about a pause of theirs. */
export function pauseReason(until: number): string {
  return until === never ? "Paused until `reverie resume`." : "You paused it for a while."
}

/** Two cycles keep a minimum distance; only high priority may come sooner. */
function tooSoon(situation: Situation): Block | undefined {
  const { now, triggers, queue } = situation
  const until = soonest(situation)
  const isPressing =
    isCommanded(situation) ||
    triggers.some(({ priority }) => priority === "high") ||
    (mayAsk(situation) && queue.some(({ dueAt, priority }) => dueAt <= now && priority === "high"))
  if (until <= now || isPressing) return undefined
  return { gate: "too-soon", reason: "The last cycle was recent.", until }
}

/** A clock that went back must not make it wait longer than the minimum interval. */
function soonest({ now, lastCycleAt, minIntervalMs }: Situation): number {
  return lastCycleAt === null ? now : Math.min(lastCycleAt, now) + minIntervalMs
}

function isCommanded({ triggers }: Situation): boolean {
  return triggers.some(({ priority }) => priority === "immediate")
}

function dueReason(situation: Situation): WakeReason | undefined {
  const { now, triggers, queue, requestedAt, lastCycleAt, wasInterrupted, maxIntervalMs } = situation
  const [trigger] = triggers
  if (trigger) return { kind: "trigger", trigger: trigger.kind }
  if (mayAsk(situation) && queue.some(({ dueAt }) => dueAt <= now)) return { kind: "queue" }
  if (lastCycleAt === null) return { kind: "first" }
  if (wasInterrupted && (situation.model === null || mayAsk(situation))) return { kind: "left-over" }
  if (requestedAt !== null && requestedAt <= now && pacedAt(situation) <= now) return { kind: "requested" }
  if (Math.min(lastCycleAt, now) + maxIntervalMs <= now) return { kind: "ceiling" }
  return undefined
}

/** From when on the budget's pace allows a cycle. */
function pacedAt({ now, model }: Situation): number {
  return model === null ? now : Math.max(now, model.nextAt)
}

/** When the next cycle will be due: the longest interval limits the requested wake, and the budget delays it. */
function notYet(situation: Situation): Block {
  const { now, queue, requestedAt, lastCycleAt, maxIntervalMs, model } = situation
  const ceiling = Math.min(lastCycleAt ?? now, now) + maxIntervalMs
  const requested = Math.min(ceiling, Math.max(requestedAt ?? ceiling, pacedAt(situation)))
  const allowedAt = model?.mayRun ? now : pacedAt(situation)
  // Without a model, the queue waits.
  const asked = model === null ? [] : queue.map(({ dueAt }) => Math.max(dueAt, allowedAt))
  const until = Math.max(now + 1, soonest(situation), Math.min(requested, ...asked))
  const isOverBudget = model !== null && !model.mayRun && queue.some(({ dueAt }) => dueAt <= now)
  return isOverBudget
    ? { gate: "budget", reason: model.reason, until }
    : { gate: "not-due", reason: "Nothing is due yet.", until }
}
