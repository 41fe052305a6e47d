import type { BudgetSettings, BudgetView, DailyCap, Use, WindowView } from "./view.ts"

/** The length of a window whose own length is invalid. */
const longestMs = 7 * 86_400_000
/** Larger sums would not be exact. */
const largest = Number.MAX_SAFE_INTEGER

/** Replaces invalid numbers by careful ones: a limit that makes no sense counts as reached. */
export function sanitizeView(view: BudgetView): BudgetView {
  const now = finite(view.now, 0)
  return {
    now,
    windows: view.windows.map((window) => sanitizeWindow(window, now)),
    lastUserActivityAt: view.lastUserActivityAt === null ? null : finite(view.lastUserActivityAt, now),
    refusals: view.refusals && {
      inARow: atLeast(0, finite(view.refusals.inARow, 1)),
      lastAt: finite(view.refusals.lastAt, now),
      blockedUntil: view.refusals.blockedUntil === null ? null : finite(view.refusals.blockedUntil, now),
    },
    calmCycles: atLeast(0, finite(view.calmCycles, 0)),
    lastCycleAt: view.lastCycleAt === null ? null : Math.min(now, finite(view.lastCycleAt, now)),
    daily: view.daily && sanitizeDaily(view.daily, now),
  }
}

function sanitizeWindow(window: WindowView, now: number): WindowView {
  const capacity = atLeast(0, finite(window.capacity, 0))
  const lengthMs = window.lengthMs >= 1000 ? finite(window.lengthMs, longestMs) : longestMs
  return {
    ...window,
    capacity,
    used: atLeast(0, finite(window.used, capacity)),
    resetsAt: finite(window.resetsAt, now + lengthMs),
    lengthMs,
    readAt: finite(window.readAt, now),
    userUse: sanitizeUses(window.userUse, now),
    knownSince: finite(window.knownSince, now),
    ambientUsed: atLeast(0, finite(window.ambientUsed, 0)),
    cycleCosts: sanitizeCosts(window.cycleCosts),
  }
}

function sanitizeUses(uses: readonly Use[], now: number): readonly Use[] {
  const isValid = uses.every(
    ({ at, amount }, index) =>
      at <= now && amount >= 0 && amount <= largest && at >= (uses[index - 1]?.at ?? at),
  )
  if (isValid) return uses
  return uses
    .map(({ at, amount }) => ({ at: Math.min(now, finite(at, now)), amount: atLeast(0, finite(amount, 0)) }))
    .toSorted((a, b) => a.at - b.at)
}

function sanitizeDaily(daily: DailyCap, now: number): DailyCap {
  const capUsd = atLeast(0, finite(daily.capUsd, 0))
  return {
    spentUsd: atLeast(0, finite(daily.spentUsd, capUsd)),
    capUsd,
    resetsAt: finite(daily.resetsAt, now + 86_400_000),
    cycleCostsUsd: sanitizeCosts(daily.cycleCostsUsd),
  }
}

function sanitizeCosts(costs: readonly number[]): number[] {
  return costs.filter((cost) => Number.isFinite(cost) && cost >= 0).map((cost) => Math.min(largest, cost))
}

/** Replaces invalid settings, and those that contradict each other. */
export function sanitizeSettings(settings: BudgetSettings): BudgetSettings {
  const minIntervalMs = atLeast(1000, finite(settings.minIntervalMs, 300_000))
  return {
    minIntervalMs,
    maxIntervalMs: atLeast(minIntervalMs, finite(settings.maxIntervalMs, minIntervalMs)),
    defaultIntervalMs: atLeast(minIntervalMs, finite(settings.defaultIntervalMs, 1_800_000)),
    reserve: Math.min(1, atLeast(0, finite(settings.reserve, 1))),
    userActiveMs: atLeast(0, finite(settings.userActiveMs, 0)),
    whenUserActive: settings.whenUserActive,
    stretch: atLeast(1, finite(settings.stretch, 1)),
    idleAfterMs: atLeast(0, finite(settings.idleAfterMs, largest)),
    cycleMs: atLeast(0, finite(settings.cycleMs, 0)),
  }
}

function finite(value: number, otherwise: number): number {
  return Number.isFinite(value) ? Math.max(-largest, Math.min(largest, value)) : otherwise
}

function atLeast(least: number, value: number): number {
  return Math.max(least, value)
}
