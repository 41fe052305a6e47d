import { describe, expect, onTestFinished, test } from "vitest"
import { afterQuietHours } from "../../../src/base/quiet-hours.ts"
import type { SendResult } from "../../../src/safety/notify/notice.ts"
import { nextDue } from "../../../src/safety/notify/outbox.ts"
import { describeDatabases } from "../../../testkit/setup/databases.ts"
import { channel, listening } from "../../../testkit/worlds/notify-receivers.ts"
import { openNotifyWorld } from "../../../testkit/worlds/notify-world.ts"

describeDatabases("The outbox", (create) => {
  test("makes one notice of several requests within batch_seconds, and another of a later one", async () => {
    const { got, notifier } = channel()
    const world = await openNotifyWorld(await create(), { notifiers: [notifier], notify: { desktop: "off" } })
    await world.start()
    const begun = world.clock.now()
    await world.ask({ description: "Push one" })
    await world.ask({ description: "Push two" })
    await world.passUntil("notice.queued", 2)
    const [sent] = await world.passUntil("notice.sent")
    expect(got).toHaveLength(1)
    expect(got[0]?.about).toHaveLength(2)
    expect(got[0]?.text).toMatch(/Push one[\s\S]*Push two/)
    expect((sent?.at ?? 0) - begun).toBeGreaterThanOrEqual(60_000)
    await world.ask({ description: "Push three" })
    await world.passUntil("notice.sent", 2)
    expect(got.map(({ about }) => about.length)).toEqual([2, 1])
  })

  test("tells what was asked while the daemon was down, once", async () => {
    const { got, notifier } = channel()
    const world = await openNotifyWorld(await create(), { notifiers: [notifier] })
    await world.start()
    await world.stop()
    await world.ask({ description: "Push one" })
    await world.start()
    await world.passUntil("notice.sent")
    await world.stop()
    await world.start()
    await world.ask({ description: "Push two" })
    await world.passUntil("notice.sent", 2)
    expect(got.map(({ title }) => title)).toEqual(["Reverie asks: Push one", "Reverie asks: Push two"])
  })

  test("drops what was decided before it was sent", async () => {
    const { got, notifier } = channel()
    const world = await openNotifyWorld(await create(), { notifiers: [notifier] })
    await world.start()
    const { id } = await world.ask()
    await world.passUntil("notice.queued")
    await world.decide(id, "deny")
    await world.passUntil("notice.dropped")
    expect(got).toEqual([])
  })

  test("tries again later and later, then gives up", async () => {
    const { got, notifier } = channel(() => ({ outcome: "failed", reason: "busy", retry: true }))
    const world = await openNotifyWorld(await create(), { notifiers: [notifier] })
    await world.start()
    await world.ask()
    const failed = await world.passUntil("notice.failed", 6, 60_000)
    const waits = failed.slice(0, -1).map(({ at, data }) => ((data as { again: number }).again - at) / 60_000)
    // A minute of the manual clock may pass between the attempt and its entry.
    for (const [place, wanted] of [1, 5, 15, 60, 180].entries())
      expect([wanted - 1, wanted]).toContain(waits[place])
    expect(failed.at(-1)?.data).toMatchObject({ reason: "busy", again: null })
    expect(await nextDue(world.db, world.install)).toBeUndefined()
    expect(got).toHaveLength(6)
    expect(new Set(got.map(({ id }) => id)).size).toBe(1)
  })

  test.each([
    { knowsAgain: false, sends: 1, ends: "notice.unknown" },
    { knowsAgain: true, sends: 2, ends: "notice.sent" },
  ])(
    "after a crash while it was sent: $ends where the receiver knows it again: $knowsAgain",
    async (told) => {
      const store = await create()
      const ending = Promise.withResolvers<SendResult>()
      onTestFinished(() => ending.resolve({ outcome: "sent" }))
      const never = channel(() => ending.promise)
      const first = await openNotifyWorld(store, {
        notifiers: [{ ...never.notifier, deduplicates: told.knowsAgain }],
      })
      await first.start()
      await first.ask()
      await first.passUntil("notice.started")
      // The program is gone: nobody writes back. Another one begins on the same database.
      const then = channel()
      const second = await openNotifyWorld(store, {
        notifiers: [{ ...then.notifier, deduplicates: told.knowsAgain }],
        start: first.clock.now(),
      })
      await second.start()
      await second.passUntil(told.ends)
      expect(never.got.length + then.got.length).toBe(told.sends)
      ending.resolve({ outcome: "sent" })
      if (told.knowsAgain) expect(then.got[0]?.id).toBe(never.got[0]?.id)
    },
  )

  test("keeps the cause of a refusal that is final, and does not try again", async () => {
    const { got, notifier } = channel(() => ({
      outcome: "failed",
      reason: "unknown recipient",
      retry: false,
    }))
    const world = await openNotifyWorld(await create(), { notifiers: [notifier] })
    await world.start()
    await world.ask()
    const [failed] = await world.passUntil("notice.failed")
    expect(failed?.data).toEqual({ reason: "unknown recipient", again: null })
    expect(await nextDue(world.db, world.install)).toBeUndefined()
    expect(got).toHaveLength(1)
  })
})

describe("Which requests are told", () => {
  test("min_urgency keeps back what is less urgent", async () => {
    const { got, notifier } = channel()
    const world = await listening({ notifiers: [notifier], notify: { min_urgency: "high" } })
    await world.ask({ description: "Push one" })
    await world.ask({ description: "Push two", urgency: "high" })
    await world.passUntil("notice.sent")
    expect(got.map(({ title }) => title)).toEqual(["Reverie asks: Push two"])
  })

  test("cycle_summaries tells what a cycle did, and without it nothing is told", async () => {
    for (const cycle_summaries of [true, false]) {
      const { got, notifier } = channel()
      const world = await listening({ notifiers: [notifier], notify: { cycle_summaries } })
      await world.cycle("Merged two memories about ports")
      await world.ask()
      await world.passUntil("notice.sent")
      expect(got[0]?.text.includes("Merged two memories about ports")).toBe(cycle_summaries)
    }
  })

  test("batch_seconds = 0 sends at once", async () => {
    const { notifier } = channel()
    const world = await listening({ notifiers: [notifier], notify: { batch_seconds: 0 } })
    const asked = world.clock.now()
    await world.ask()
    const [sent] = await world.passUntil("notice.sent", 1, 250)
    expect((sent?.at ?? 0) - asked).toBeLessThan(60_000)
  })
})

describe("Quiet hours", () => {
  const hours = { quiet_start: "22:00", quiet_end: "07:30", time_zone: "Europe/Berlin" }
  const at = (text: string) => Date.parse(text)

  test.each([
    ["2026-01-10T12:00:00+01:00", "2026-01-10T12:00:00+01:00"],
    ["2026-01-10T21:59:59+01:00", "2026-01-10T21:59:59+01:00"],
    ["2026-01-10T22:00:00+01:00", "2026-01-11T07:30:00+01:00"],
    ["2026-01-11T03:10:20+01:00", "2026-01-11T07:30:00+01:00"],
    ["2026-01-11T07:30:00+01:00", "2026-01-11T07:30:00+01:00"],
    // Clocks are put forward in the night to 29 March, and back in the one to 25 October.
    ["2026-03-28T23:00:00+01:00", "2026-03-29T07:30:00+02:00"],
    ["2026-10-24T23:00:00+02:00", "2026-10-25T07:30:00+01:00"],
  ])("at %s send at %s", (from, to) => {
    expect(afterQuietHours(at(from), hours)).toBe(at(to))
  })

  test("may lie within a day, end at a time that clocks skip, or not be set", () => {
    const noon = { ...hours, quiet_start: "12:00", quiet_end: "13:00" }
    expect(afterQuietHours(at("2026-01-10T12:30:00+01:00"), noon)).toBe(at("2026-01-10T13:00:00+01:00"))
    const skipped = { ...hours, quiet_end: "02:30" }
    const ended = afterQuietHours(at("2026-03-28T23:00:00+01:00"), skipped)
    expect(ended).toBeGreaterThanOrEqual(at("2026-03-29T03:00:00+02:00"))
    expect(ended).toBeLessThanOrEqual(at("2026-03-29T03:30:00+02:00"))
    expect(afterQuietHours(5, { ...hours, quiet_start: "" })).toBe(5)
  })

  test("keep a notice until they end, unless it is urgent", async () => {
    const { got, notifier } = channel()
    const notify = { quiet_start: "22:00", quiet_end: "07:30", time_zone: "UTC" }
    const start = at("2026-01-10T07:20:00Z")
    const world = await listening({ notifiers: [notifier], notify, start })
    await world.ask({ description: "Push one" })
    const [first] = await world.passUntil("notice.sent", 1, 10_000)
    expect(first?.at).toBeGreaterThanOrEqual(at("2026-01-10T07:30:00Z"))
    const night = await listening({ notifiers: [notifier], notify, start })
    await night.ask({ description: "Push two", urgency: "high" })
    const [second] = await night.passUntil("notice.sent")
    expect(second?.at).toBeLessThan(at("2026-01-10T07:25:00Z"))
    expect(got.map(({ title }) => title)).toEqual(["Reverie asks: Push one", "Reverie asks: Push two"])
  })
})
