import type { LimitReading } from "../../src/llm/limits/limit-reading.ts"
import { dayMs, type Plan, type PlanWindow } from "./plans.ts"

/** A provider that counts both windows of a plan, refuses when one is full, and tells whole percents. */
export interface Provider {
  /** Answers a call that costs so many tokens of its windows, or says from when on it will again. */
  ask(at: number, cost: number): { isRefused: false } | { isRefused: true; until: number }
  /** How full the windows are, as it tells with each answer. */
  readings(at: number): LimitReading[]
}

interface Counter {
  window: PlanWindow
  endsAt: number
  used: number
}

/** Windows at fixed times end a whole number of lengths after the anchor. */
export function createProvider(plan: Plan, anchor: number): Provider {
  const counters: Counter[] = plan.windows.map((window) => ({ window, endsAt: 0, used: 0 }))

  function turn(counter: Counter, at: number): void {
    if (at < counter.endsAt) return
    const { lengthMs, begins } = counter.window
    const beganAt = begins === "first-use" ? at : anchor + Math.floor((at - anchor) / lengthMs) * lengthMs
    counter.endsAt = beganAt + lengthMs
    counter.used = 0
  }

  return {
    ask(at, cost) {
      for (const counter of counters) turn(counter, at)
      const full = counters.filter(({ used, window }) => used >= window.capacity)
      if (full.length > 0) return { isRefused: true, until: Math.max(...full.map(({ endsAt }) => endsAt)) }
      for (const counter of counters) counter.used += cost
      return { isRefused: false }
    },
    readings(at) {
      return counters.map(({ window: { id, capacity, lengthMs }, endsAt, used }) => ({
        ...{ window: id, unit: "percent", capacity: 100, lengthMs, resetsAt: endsAt, at },
        used: plan.toWhole(Math.min(100, (used / capacity) * 100)),
      }))
    },
  }
}

/** The day whose midnight the fixed windows are counted from. */
export const firstDay = Date.UTC(2026, 0, 5)

/** When the fixed windows of a run end, each seed at another time of the week. */
export function anchorOf(seed: number): number {
  return firstDay + ((seed * 37) % 168) * (dayMs / 24)
}
