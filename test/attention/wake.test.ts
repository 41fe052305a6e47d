import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decideHalt, decideWake, type Situation } from "../../src/attention/wake.ts"

const minute = 60_000
const now = Date.UTC(2026, 0, 1, 12)

const willing = { mayRun: true, nextAt: now, reason: "" }

function situation(changes: Partial<Situation> = {}): Situation {
  return {
    now,
    isEnabled: true,
    pausedUntil: null,
    pausedAt: 0,
    isRunning: false,
    otherInstallUntil: null,
    wasInterrupted: false,
    lastCycleAt: now - 20 * minute,
    requestedAt: null,
    queue: [],
    triggers: [],
    isUserActive: false,
    userActiveUntil: null,
    model: willing,
    minIntervalMs: 5 * minute,
    maxIntervalMs: 120 * minute,
    ...changes,
  }
}

const crashed = { at: now, kind: "session-crashed", priority: "high" } as const
const closed = { at: now, kind: "session-closed", priority: "normal" } as const
const command = { at: now, kind: "command", priority: "immediate" } as const
const overBudget = {
  mayRun: false,
  nextAt: now + 50 * minute,
  reason: "Enough.",
}

describe("the next wake", () => {
  it("is the ceiling when nobody asked for anything", () => {
    expect(decideWake(situation())).toMatchObject({ outcome: "wait", until: now + 100 * minute })
    expect(decideWake(situation({ lastCycleAt: now - 120 * minute }))).toEqual({
      outcome: "run",
      why: { kind: "ceiling" },
      mayAsk: true,
    })
    expect(decideWake(situation({ lastCycleAt: null }))).toMatchObject({ why: { kind: "first" } })
  })

  it("follows the agent's wish, pulled nearer by the ceiling and pushed later by the budget", () => {
    expect(decideWake(situation({ requestedAt: now + 15 * minute }))).toMatchObject({
      until: now + 15 * minute,
    })
    expect(decideWake(situation({ requestedAt: now + 600 * minute }))).toMatchObject({
      until: now + 100 * minute,
    })
    const slow = { ...willing, nextAt: now + 30 * minute }
    for (const requestedAt of [now - minute, now + 10 * minute]) {
      expect(decideWake(situation({ requestedAt, model: slow }))).toMatchObject({ until: now + 30 * minute })
      expect(decideWake(situation({ requestedAt, model: overBudget }))).toMatchObject({
        until: now + 50 * minute,
      })
    }
    expect(decideWake(situation({ requestedAt: now - 1 }))).toMatchObject({
      why: { kind: "requested" },
      mayAsk: true,
    })
  })

  it("comes when something in the queue is due, late or not", () => {
    const later = { dueAt: now + 7 * minute, priority: "normal" } as const
    expect(decideWake(situation({ queue: [later] }))).toMatchObject({ until: now + 7 * minute })
    expect(decideWake(situation({ queue: [{ ...later, dueAt: now - 99 * minute }] }))).toMatchObject({
      outcome: "run",
      why: { kind: "queue" },
      mayAsk: true,
    })
  })

  it("leaves the queue waiting while nobody may be asked, and tends by rules meanwhile", () => {
    const due = { queue: [{ dueAt: now - minute, priority: "high" as const }] }
    expect(decideWake(situation({ ...due, model: overBudget }))).toMatchObject({
      block: { gate: "budget", reason: "Enough." },
      until: now + 50 * minute,
    })
    expect(decideWake(situation({ ...due, model: null }))).toMatchObject({ block: { gate: "not-due" } })
    const late = { ...due, lastCycleAt: now - 120 * minute }
    for (const model of [overBudget, null])
      expect(decideWake(situation({ ...late, model }))).toEqual({
        outcome: "run",
        why: { kind: "ceiling" },
        mayAsk: false,
      })
  })

  it("goes on with what was interrupted, once the distance is kept", () => {
    expect(decideWake(situation({ wasInterrupted: true }))).toMatchObject({ why: { kind: "left-over" } })
    expect(decideWake(situation({ wasInterrupted: true, lastCycleAt: now }))).toMatchObject({
      block: { gate: "too-soon" },
    })
    expect(decideWake(situation({ wasInterrupted: true, model: overBudget }))).toMatchObject({
      outcome: "wait",
    })
  })

  it("waits while another machine tends the same memory, even for a command", () => {
    const elsewhere = { otherInstallUntil: now + minute, triggers: [command] }
    expect(decideWake(situation(elsewhere))).toMatchObject({ block: { gate: "elsewhere" } })
  })

  it("halts for the user, unless the user asked for it", () => {
    const command = { kind: "trigger", trigger: "command" } as const
    const working = situation({ isUserActive: true })
    expect(decideHalt(working, { kind: "ceiling" }, now)).toBe("you began to work")
    expect(decideHalt(working, command, now)).toBeUndefined()
    expect(decideHalt(situation({ isEnabled: false }), command, now)).toBe("it was switched off")
    const paused = situation({ pausedUntil: now + 1, pausedAt: now - 5 })
    expect(decideHalt(paused, { kind: "queue" }, now)).toBe("you paused it")
    expect(decideHalt(paused, command, now - 4)).toBeUndefined()
    expect(decideHalt(paused, command, now - 6)).toBe("you paused it")
    expect(decideHalt(situation(), { kind: "queue" }, now)).toBeUndefined()
  })

  it("comes early for events, but keeps its distance to the last cycle unless they press", () => {
    expect(decideWake(situation({ triggers: [closed] }))).toMatchObject({ outcome: "run" })
    const soon = { lastCycleAt: now - minute }
    expect(decideWake(situation({ ...soon, triggers: [closed] }))).toMatchObject({
      outcome: "wait",
      block: { gate: "too-soon" },
      until: now + 4 * minute,
    })
    expect(decideWake(situation({ ...soon, triggers: [crashed] }))).toMatchObject({ outcome: "run" })
  })

  it("never comes while the user works, while it is paused or switched off", () => {
    const due = { triggers: [crashed], queue: [{ dueAt: now, priority: "high" as const }] }
    const gates: [Partial<Situation>, string][] = [
      [{ isUserActive: true, userActiveUntil: now + 9 * minute }, "user-active"],
      [{ pausedUntil: Number.POSITIVE_INFINITY }, "paused"],
      [{ pausedUntil: now + minute }, "paused"],
      [{ isEnabled: false }, "disabled"],
      [{ isRunning: true }, "running"],
    ]
    for (const [changes, gate] of gates)
      expect(decideWake(situation({ ...due, ...changes }))).toMatchObject({
        outcome: "wait",
        block: { gate },
      })
    expect(decideWake(situation({ ...due, pausedUntil: now - 1 }))).toMatchObject({ outcome: "run" })
  })

  it("comes at once when the user says so, unless it is off or at work already", () => {
    const blocked = { isUserActive: true, pausedUntil: now + minute, model: overBudget, lastCycleAt: now }
    expect(decideWake(situation({ ...blocked, triggers: [command] }))).toEqual({
      outcome: "run",
      why: { kind: "trigger", trigger: "command" },
      // It costs nothing that the budget does not grant.
      mayAsk: false,
    })
    expect(decideWake(situation({ triggers: [command], isEnabled: false }))).toMatchObject({
      outcome: "wait",
    })
    expect(decideWake(situation({ triggers: [command], isRunning: true }))).toMatchObject({ outcome: "wait" })
  })

  it("survives a clock that was set back", () => {
    const ahead = situation({ lastCycleAt: now + 5000 * minute })
    expect(decideWake(ahead)).toMatchObject({ outcome: "wait", until: now + 120 * minute })
    expect(decideWake({ ...ahead, triggers: [closed] })).toMatchObject({ until: now + 5 * minute })
  })

  const priority = fc.constantFrom("immediate", "high", "normal", "low") as fc.Arbitrary<
    "immediate" | "high" | "normal" | "low"
  >
  const moment = fc.integer({ min: now - 10 ** 9, max: now + 10 ** 9 })
  const any = fc.record({
    now: fc.constant(now),
    isEnabled: fc.boolean(),
    pausedUntil: fc.option(fc.oneof(moment, fc.constant(Number.POSITIVE_INFINITY))),
    pausedAt: moment,
    isRunning: fc.boolean(),
    otherInstallUntil: fc.option(moment),
    wasInterrupted: fc.boolean(),
    lastCycleAt: fc.option(moment),
    requestedAt: fc.option(moment),
    queue: fc.array(fc.record({ dueAt: moment, priority })),
    triggers: fc.array(fc.constantFrom(crashed, closed, command)),
    isUserActive: fc.boolean(),
    userActiveUntil: fc.option(fc.integer({ min: now, max: now + 10 ** 9 })),
    model: fc.option(fc.record({ mayRun: fc.boolean(), nextAt: moment, reason: fc.constant("") })),
    minIntervalMs: fc.integer({ min: 60_000, max: 10 ** 7 }),
    maxIntervalMs: fc.integer({ min: 10 ** 7, max: 10 ** 9 }),
  })

  it("never runs against a gate, and always knows when to look again", () => {
    fc.assert(
      fc.property(any, (one) => {
        const wake = decideWake(one)
        const commanded = one.triggers.includes(command)
        if (wake.outcome === "run") {
          expect(one.isEnabled && !one.isRunning).toBe(true)
          expect(wake.mayAsk).toBe(one.model?.mayRun ?? false)
          if (!commanded) {
            expect(one.isUserActive).toBe(false)
            expect((one.pausedUntil ?? 0) <= now).toBe(true)
          }
        } else {
          expect(wake.until).toBeGreaterThanOrEqual(now)
          expect(Number.isNaN(wake.until)).toBe(false)
        }
      }),
    )
  })

  it("never waits beyond the ceiling while nothing holds it back", () => {
    fc.assert(
      fc.property(any, (one) => {
        const free = {
          ...one,
          isEnabled: true,
          isRunning: false,
          pausedUntil: null,
          isUserActive: false,
          otherInstallUntil: null,
        }
        const wake = decideWake(free)
        if (wake.outcome === "wait") expect(wake.until).toBeLessThanOrEqual(now + one.maxIntervalMs)
      }),
    )
  })
})
