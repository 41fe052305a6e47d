import type { Priority } from "./priority.ts"
import type { TriggerKind } from "./trigger.ts"

/** One snapshot of all that decides when to wake. */
export interface Situation {
  now: number
  isEnabled: boolean
  /** The user said to wait: until they resume (infinite) or until a moment. */
  pausedUntil: number | null
  isRunning: boolean
  /** When the last cycle ended; null for none yet. */
  lastCycleAt: number | null
  /** What the agent asked for at the end of its last cycle. */
  wishAt: number | null
  /** When the earliest thing in the queue is due, and how pressing the most pressing due thing is. */
  queue: readonly { dueAt: number; priority: Priority }[]
  triggers: readonly { at: number; kind: TriggerKind; priority: Priority }[]
  /** Whether the user works right now, on whatever allowance. */
  isUserActive: boolean
  /** Until when the user counts as working, if nothing more comes. */
  userActiveUntil: number | null
  /** What the budget says; null where no model is asked and cycles cost nothing. */
  budget: { mayRun: boolean; nextAt: number; lookAgainAt: number; reason: string } | null
  minIntervalMs: number
  maxIntervalMs: number
}

/** Why nothing is begun now; the first that holds is the reason. */
export type Block = {
  gate: "disabled" | "paused" | "running" | "user-active" | "budget" | "too-soon" | "not-due"
  reason: string
  until: number
}

/** Whether to begin a cycle now, or when to look again. */
export type Wake = { outcome: "run"; why: WakeReason } | { outcome: "wait"; until: number; block: Block }

/** What a cycle was begun for. */
export type WakeReason =
  | { kind: "trigger"; trigger: TriggerKind }
  | { kind: "queue" }
  | { kind: "wish" }
  | { kind: "ceiling" }
  | { kind: "first" }

const never = Number.POSITIVE_INFINITY

/**
 * Whether it is time. Gates come in a fixed order and the first that blocks wins; an explicit command passes every
 * gate but "off" and "already running". What is due is the earliest of queue, wish and ceiling; events wake early.
 */
export function decideWake(situation: Situation): Wake {
  const command = situation.triggers.some(({ priority }) => priority === "immediate")
  const block = firstBlock(situation, command)
  if (block) return { outcome: "wait", until: block.until, block }
  const why = dueReason(situation)
  return why ? { outcome: "run", why } : notYet(situation)
}

function firstBlock(situation: Situation, command: boolean): Block | undefined {
  const { now, isEnabled, isRunning, pausedUntil } = situation
  if (!isEnabled) return { gate: "disabled", reason: "It is switched off (ambient.enabled).", until: never }
  if (isRunning) return { gate: "running", reason: "A cycle is running.", until: never }
  if (command) return undefined
  if (pausedUntil !== null && pausedUntil > now) {
    const reason = pausedUntil === never ? "Paused until `reverie resume`." : "Paused by you for a while."
    return { gate: "paused", reason, until: pausedUntil }
  }
  if (situation.isUserActive) {
    const until = situation.userActiveUntil ?? now + situation.minIntervalMs
    return { gate: "user-active", reason: "You are working; it waits until you are not.", until }
  }
  return tooSoon(situation) ?? overBudget(situation)
}

/** However much is due, two cycles keep their distance; only something pressing may come sooner. */
function tooSoon({ now, lastCycleAt, minIntervalMs, triggers, queue }: Situation): Block | undefined {
  if (lastCycleAt === null) return undefined
  // A clock that went back must not make it wait longer than the distance itself.
  const until = Math.min(lastCycleAt, now) + minIntervalMs
  const isPressing =
    triggers.some(({ priority }) => priority === "high") ||
    queue.some(({ dueAt, priority }) => dueAt <= now && (priority === "high" || priority === "immediate"))
  if (until <= now || isPressing) return undefined
  return { gate: "too-soon", reason: "The last cycle is not long ago.", until }
}

function overBudget({ budget, now }: Situation): Block | undefined {
  if (budget === null || budget.mayRun) return undefined
  return {
    gate: "budget",
    reason: budget.reason,
    until: Math.max(now + 1, Math.min(budget.nextAt, budget.lookAgainAt)),
  }
}

function dueReason(situation: Situation): WakeReason | undefined {
  const { now, triggers, queue, wishAt, lastCycleAt, maxIntervalMs } = situation
  const [trigger] = triggers
  if (trigger) return { kind: "trigger", trigger: trigger.kind }
  if (queue.some(({ dueAt }) => dueAt <= now)) return { kind: "queue" }
  if (lastCycleAt === null) return { kind: "first" }
  if (wishAt !== null && wishAt <= now) return { kind: "wish" }
  if (Math.min(lastCycleAt, now) + maxIntervalMs <= now) return { kind: "ceiling" }
  return undefined
}

/** When something will be due: the agent's wish is pulled nearer by the ceiling and pushed later by the budget. */
function notYet(situation: Situation): Wake {
  const { now, queue, wishAt, lastCycleAt, maxIntervalMs, budget } = situation
  const ceiling = Math.min(lastCycleAt ?? now, now) + maxIntervalMs
  const wish = Math.min(wishAt ?? ceiling, ceiling)
  const allowed = budget === null ? wish : Math.max(wish, Math.min(budget.nextAt, ceiling))
  const until = Math.max(now + 1, Math.min(allowed, ...queue.map(({ dueAt }) => dueAt)))
  return { outcome: "wait", until, block: { gate: "not-due", reason: "Nothing is due yet.", until } }
}
