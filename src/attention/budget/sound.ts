import type { BudgetSettings, BudgetView, DailyCap, Use, WindowView } from "./view.ts"

/** A window without a usable length is taken for the longest kind there is. */
const longestMs = 7 * 86_400_000
/** Beyond this, sums would no longer be exact. */
const largest = Number.MAX_SAFE_INTEGER

/**
 * The view with every number usable. What makes no sense is read in the careful way: a limit that cannot be understood
 * is a limit that is reached.
 */
export function soundView(view: BudgetView): BudgetView {
  const now = or(view.now, 0)
  return {
    now,
    windows: view.windows.map((window) => soundWindow(window, now)),
    lastUserActivityAt: view.lastUserActivityAt === null ? null : or(view.lastUserActivityAt, now),
    refusals: view.refusals && {
      inARow: atLeast(0, or(view.refusals.inARow, 1)),
      lastAt: or(view.refusals.lastAt, now),
      blockedUntil: view.refusals.blockedUntil === null ? null : or(view.refusals.blockedUntil, now),
    },
    calmCycles: atLeast(0, or(view.calmCycles, 0)),
    lastCycleAt: view.lastCycleAt === null ? null : Math.min(now, or(view.lastCycleAt, now)),
    daily: view.daily && soundDaily(view.daily, now),
  }
}

function soundWindow(window: WindowView, now: number): WindowView {
  const capacity = atLeast(0, or(window.capacity, 0))
  const lengthMs = window.lengthMs >= 1000 ? or(window.lengthMs, longestMs) : longestMs
  return {
    ...window,
    capacity,
    used: atLeast(0, or(window.used, capacity)),
    resetsAt: or(window.resetsAt, now + lengthMs),
    lengthMs,
    readAt: or(window.readAt, now),
    userUse: soundUses(window.userUse, now),
    knownSince: or(window.knownSince, now),
    ambientUsed: atLeast(0, or(window.ambientUsed, 0)),
    cycleCosts: soundCosts(window.cycleCosts),
  }
}

function soundUses(uses: readonly Use[], now: number): readonly Use[] {
  const isSound = uses.every(
    ({ at, amount }, index) =>
      at <= now && amount >= 0 && amount <= largest && at >= (uses[index - 1]?.at ?? at),
  )
  if (isSound) return uses
  return uses
    .map(({ at, amount }) => ({ at: Math.min(now, or(at, now)), amount: atLeast(0, or(amount, 0)) }))
    .toSorted((a, b) => a.at - b.at)
}

function soundDaily(daily: DailyCap, now: number): DailyCap {
  const capUsd = atLeast(0, or(daily.capUsd, 0))
  return {
    spentUsd: atLeast(0, or(daily.spentUsd, capUsd)),
    capUsd,
    resetsAt: or(daily.resetsAt, now + 86_400_000),
    cycleCostsUsd: soundCosts(daily.cycleCostsUsd),
  }
}

function soundCosts(costs: readonly number[]): number[] {
  return costs.filter((cost) => Number.isFinite(cost) && cost >= 0).map((cost) => Math.min(largest, cost))
}

/** Settings that do not contradict each other. */
export function soundSettings(settings: BudgetSettings): BudgetSettings {
  const minIntervalMs = atLeast(1000, or(settings.minIntervalMs, 300_000))
  return {
    minIntervalMs,
    maxIntervalMs: atLeast(minIntervalMs, or(settings.maxIntervalMs, minIntervalMs)),
    defaultIntervalMs: atLeast(minIntervalMs, or(settings.defaultIntervalMs, 1_800_000)),
    reserve: Math.min(1, atLeast(0, or(settings.reserve, 1))),
    userActiveMs: atLeast(0, or(settings.userActiveMs, 0)),
    whenUserActive: settings.whenUserActive,
    stretch: atLeast(1, or(settings.stretch, 1)),
    idleAfterMs: atLeast(0, or(settings.idleAfterMs, largest)),
    cycleMs: atLeast(0, or(settings.cycleMs, 0)),
  }
}

function or(value: number, otherwise: number): number {
  return Number.isFinite(value) ? Math.max(-largest, Math.min(largest, value)) : otherwise
}

function atLeast(least: number, value: number): number {
  return Math.max(least, value)
}
