import type { Priority } from "./priority.ts"
import type { TriggerKind } from "./trigger.ts"

/** One snapshot of all that decides when to wake. */
export interface Situation {
  now: number
  isEnabled: boolean
  /** The user said to wait: until they resume (infinite) or until a moment. */
  pausedUntil: number | null
  /** When they said so; 0 for never. */
  pausedAt: number
  isRunning: boolean
  /** Another installation tends the same memory; until when it has said so. */
  elsewhereUntil: number | null
  /** When the last cycle ended, or began if it was interrupted; null for none yet. */
  lastCycleAt: number | null
  /** The last cycle was interrupted, and what it had begun waits. */
  hasLeftOver: boolean
  /** When the agent wants to be woken. */
  requestedAt: number | null
  /** What waits in the queue: when it is due and how pressing it is. */
  queue: readonly { dueAt: number; priority: Priority }[]
  triggers: readonly { at: number; kind: TriggerKind; priority: Priority }[]
  /** Whether the user works right now, on whatever allowance. */
  isUserActive: boolean
  /** Until when the user counts as working, if nothing more comes. */
  userActiveUntil: number | null
  /** What the budget says of the model that would be asked; null where there is none. */
  model: { mayRun: boolean; nextAt: number; reason: string } | null
  minIntervalMs: number
  maxIntervalMs: number
}

/** Why nothing is begun now; the first that holds is the reason. */
interface Block {
  gate: "disabled" | "running" | "elsewhere" | "paused" | "user-active" | "too-soon" | "budget" | "not-due"
  reason: string
  until: number
}

/** Whether to begin a cycle now, or when to look again. Where no model may be asked, a cycle tends by rules alone. */
export type Wake =
  | { outcome: "run"; why: WakeReason; mayAsk: boolean }
  | { outcome: "wait"; until: number; block: Block }

/** What a cycle was begun for. */
export type WakeReason =
  | { kind: "trigger"; trigger: TriggerKind }
  | { kind: "queue" }
  | { kind: "left-over" }
  | { kind: "requested" }
  | { kind: "ceiling" }
  | { kind: "first" }

const never = Number.POSITIVE_INFINITY

/**
 * Whether it is time. Gates come in a fixed order and the first that blocks wins; an explicit command passes those that
 * spare the user, not the budget. Due is the earliest of queue, requested wake and ceiling; events wake early. Over budget a cycle
 * still tends by rules, which costs nothing, and the queue waits.
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

/** Why a cycle that runs since a moment should stop now, if it should. One that the user asked for goes on beside them. */
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
  const { now, isEnabled, isRunning, elsewhereUntil, pausedUntil } = situation
  if (!isEnabled) return { gate: "disabled", reason: "It is switched off (ambient.enabled).", until: never }
  if (isRunning) return { gate: "running", reason: "A cycle is running.", until: never }
  if (elsewhereUntil !== null && elsewhereUntil > now)
    return { gate: "elsewhere", reason: "Another machine tends this memory now.", until: elsewhereUntil }
  if (isCommanded(situation)) return undefined
  if (pausedUntil !== null && pausedUntil > now) {
    const reason = pausedUntil === never ? "Paused until `reverie resume`." : "Paused by you for a while."
    return { gate: "paused", reason, until: pausedUntil }
  }
  if (situation.isUserActive) {
    const until = situation.userActiveUntil ?? now + situation.minIntervalMs
    return { gate: "user-active", reason: "You are working; it waits until you are not.", until }
  }
  return undefined
}

/** However much is due, two cycles keep their distance; only something pressing may come sooner. */
function tooSoon(situation: Situation): Block | undefined {
  const { now, triggers, queue } = situation
  const until = soonest(situation)
  const isPressing =
    isCommanded(situation) ||
    triggers.some(({ priority }) => priority === "high") ||
    (mayAsk(situation) && queue.some(({ dueAt, priority }) => dueAt <= now && priority === "high"))
  if (until <= now || isPressing) return undefined
  return { gate: "too-soon", reason: "The last cycle is not long ago.", until }
}

/** A clock that went back must not make it wait longer than the distance itself. */
function soonest({ now, lastCycleAt, minIntervalMs }: Situation): number {
  return lastCycleAt === null ? now : Math.min(lastCycleAt, now) + minIntervalMs
}

function isCommanded({ triggers }: Situation): boolean {
  return triggers.some(({ priority }) => priority === "immediate")
}

function dueReason(situation: Situation): WakeReason | undefined {
  const { now, triggers, queue, requestedAt, lastCycleAt, hasLeftOver, maxIntervalMs } = situation
  const [trigger] = triggers
  if (trigger) return { kind: "trigger", trigger: trigger.kind }
  if (mayAsk(situation) && queue.some(({ dueAt }) => dueAt <= now)) return { kind: "queue" }
  if (lastCycleAt === null) return { kind: "first" }
  if (hasLeftOver && (situation.model === null || mayAsk(situation))) return { kind: "left-over" }
  if (requestedAt !== null && requestedAt <= now && pacedAt(situation) <= now) return { kind: "requested" }
  if (Math.min(lastCycleAt, now) + maxIntervalMs <= now) return { kind: "ceiling" }
  return undefined
}

/** From when on the budget's pace allows a cycle that nothing else asks for. */
function pacedAt({ now, model }: Situation): number {
  return model === null ? now : Math.max(now, model.nextAt)
}

/** When something will be due: the wake the agent requested is pulled nearer by the ceiling and pushed later by the budget. */
function notYet(situation: Situation): Block {
  const { now, queue, requestedAt, lastCycleAt, maxIntervalMs, model } = situation
  const ceiling = Math.min(lastCycleAt ?? now, now) + maxIntervalMs
  const requested = Math.min(ceiling, Math.max(requestedAt ?? ceiling, pacedAt(situation)))
  const allowedAt = model?.mayRun ? now : pacedAt(situation)
  // Without anybody to ask, the queue waits for whoever comes.
  const asked = model === null ? [] : queue.map(({ dueAt }) => Math.max(dueAt, allowedAt))
  const until = Math.max(now + 1, soonest(situation), Math.min(requested, ...asked))
  const isHeld = model !== null && !model.mayRun && queue.some(({ dueAt }) => dueAt <= now)
  return isHeld
    ? { gate: "budget", reason: model.reason, until }
    : { gate: "not-due", reason: "Nothing is due yet.", until }
}
