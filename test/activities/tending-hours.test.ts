import { describe, expect, it } from "vitest"
import { ambientNow, enqueue, pause, resume, wake } from "../../src/activities/tend/control.ts"
import { appendEntry } from "../../src/storage/journal.ts"
import { sqliteDatabase } from "../../testkit/setup/databases.ts"
import { calls, finishes } from "../../testkit/worlds/tend-world.ts"
import { item, openTending, opposites } from "../../testkit/worlds/tending-world.ts"

const minute = 60_000
const hour = 60 * minute

// Hours of looks at the same few tables. All statements of these are tried on PostgreSQL by what stands in tending.test.ts.
describe("Tending through hours", () => {
  const open = (options?: Parameters<typeof openTending>[1]) => openTending(sqliteDatabase(), options)

  it("hands over twice what a cycle planned and did not do, and then lets it go", async () => {
    const { world, server } = await open()
    await world.act((_, by) => enqueue(world.needs, item("look", world.clock.now()), by))
    const plans = calls("todos", { items: [{ text: "sort the drawer", done: false }] })
    server.script([plans, finishes("Looked."), plans, finishes("Not yet."), finishes("Not yet.")])
    await world.start()
    await world.pass(9 * hour)
    const prompts = server.requests.map(({ asked }) => JSON.stringify(asked.messages))
    const told = prompts.filter((prompt) => prompt.includes("Left over from an earlier cycle"))
    expect(told).toHaveLength(3)
    expect(server.requests).toHaveLength(5)
  })

  it("asks no model while there is nothing to decide, and comes again after the longest interval", async () => {
    const { world, server } = await open()
    await world.remember("The port is 8080")
    await world.start()
    await world.pass(5 * hour)
    const cycles = await world.cycles()
    expect(cycles.map(({ trigger, status }) => [trigger, status])).toEqual([
      ["first", "complete"],
      ["ceiling", "complete"],
      ["ceiling", "complete"],
    ])
    expect(server.requests).toEqual([])
    expect(cycles[0]).toMatchObject({ receipt: { calls: 0, tokens: { input: 0, output: 0 } } })
  })

  it("reminds an agent that stops once, then ends the cycle and waits for the longest interval", async () => {
    const { world, server } = await open()
    await opposites(world)
    server.script([{ text: "I looked." }, { text: "I am done." }])
    await world.start()
    const [cycle] = await world.cycles()
    expect(cycle).toMatchObject({ status: "incomplete" })
    expect(cycle?.receipt.warnings).toEqual([
      "The agent did not end its cycle; it is woken again after the longest interval.",
    ])
    const { messages } = await world.cycle(cycle?.id ?? "")
    expect(messages.map(({ message }) => message.role)).toEqual(["user", "assistant", "user", "assistant"])
    // What it was asked is not asked again, whatever it did about it.
    await world.pass(2 * hour)
    expect(server.requests.length).toBe(2)
    await world.remember("The timeout is 30 seconds", { source: "user-stated" })
    await world.remember("The timeout is 60 seconds", { source: "inferred" })
    server.script([{ text: "I looked." }, finishes("Now it is done.")])
    await world.pass(2 * hour)
    expect((await world.cycles()).at(-1)).toMatchObject({
      trigger: "ceiling",
      status: "complete",
      receipt: { warnings: ["The agent named no next wake; it is woken after the longest interval."] },
    })
  })

  it("wakes early for a session that crashed, and not while the user works", async () => {
    const { world } = await open()
    await world.start()
    world.user.lastAt = world.clock.now()
    await world.db.write(async (transaction) => {
      const entry = {
        ...world.by(),
        at: world.clock.now(),
        kind: "session.crashed" as const,
        subject: "codex:1",
      }
      await appendEntry(transaction, entry)
    })
    await world.pass(9 * minute)
    expect((await world.cycles()).length).toBe(1)
    expect(world.last()).toMatchObject({ block: { gate: "user-active" } })
    await world.pass(2 * minute)
    expect((await world.cycles()).map(({ trigger }) => trigger)).toEqual(["first", "session-crashed"])
    await world.pass(hour)
    expect((await world.cycles()).length).toBe(2)
  })

  it("stops when the user begins to work, and goes on later with what was left", async () => {
    const { world, server } = await open()
    const plan = item("tidy up", world.clock.now())
    await world.act((_, by) => enqueue(world.needs, plan, by))
    const todos = [
      { text: "first thing", done: true },
      { text: "second thing", done: false },
    ]
    server.script([
      calls("todos", { items: todos }),
      async () => {
        world.user.lastAt = world.clock.now()
        void world.clock.advance(3000)
        return { hang: true }
      },
    ])
    await world.start()
    expect(await world.cycles()).toMatchObject([{ status: "interrupted" }])
    expect((await world.cycles())[0]?.summary).toContain("you began to work")
    expect(await world.queue()).toMatchObject([{ context: "tidy up", state: "waiting" }])
    server.script([finishes("Tidied up.", 60)])
    await world.pass(20 * minute)
    expect((await world.cycles()).at(-1)).toMatchObject({ status: "complete", summary: "Tidied up." })
    const asked = JSON.stringify(server.requests.at(-1)?.asked)
    expect(asked).toContain("Left over from an earlier cycle: <data>second thing</data>")
    expect(asked).not.toContain("first thing")
    expect(await world.queue()).toEqual([])
  })

  it("waits while paused, and comes at once for a command", async () => {
    const { world } = await open()
    await world.act((_, by) => pause(world.needs, "for-ever", by))
    await world.start()
    await world.pass(5 * hour)
    expect(await world.cycles()).toEqual([])
    await world.act((_, by) => wake(world.needs, by))
    await world.pass(minute)
    expect((await world.cycles()).map(({ trigger }) => trigger)).toEqual(["command"])
    await world.act((_, by) => resume(world.needs, by))
    await world.pass(3 * hour)
    expect((await world.cycles()).map(({ trigger }) => trigger)).toEqual(["command", "ceiling"])
  })

  it("is shown as paused and as resumed at once, before the scheduler has looked again", async () => {
    const { world } = await open()
    const scheduler = await world.start()
    const now = () => ambientNow(world.needs, scheduler)
    expect(await now()).toMatchObject({ status: "scheduled", pausedUntil: null })
    await world.act((_, by) => pause(world.needs, "for-ever", by))
    expect(world.last()).not.toMatchObject({ block: { gate: "paused" } })
    const paused = { status: "paused", reason: "Paused until `reverie resume`.", nextWake: null }
    expect(await now()).toMatchObject(paused)
    await world.pass(minute)
    expect(world.last()).toMatchObject({ block: { gate: "paused" } })
    expect(await now()).toMatchObject(paused)
    await world.act((_, by) => resume(world.needs, by))
    expect(world.last()).toMatchObject({ block: { gate: "paused" } })
    expect(await now()).toMatchObject({ status: "scheduled", reason: "The pause is over.", nextWake: null })
    const until = world.clock.now() + hour
    await world.act((_, by) => pause(world.needs, until, by))
    expect(await now()).toMatchObject({ status: "paused", nextWake: until, pausedUntil: until })
  })

  it("changes no more memories in a cycle than it may, and goes on in the next", async () => {
    const { world } = await open({ config: { ambient: { changes_per_cycle: 4 } } })
    for (let copy = 0; copy < 7; copy += 1)
      await world.remember("The cache lives in Redis", { verbatim: true })
    await world.start()
    const active = async () => (await world.all()).filter(({ status }) => status === "active").length
    expect(await active()).toBe(5)
    await world.pass(9 * hour)
    expect(await active()).toBe(1)
  })
})
