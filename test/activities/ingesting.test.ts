import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { startIngesting } from "../../src/activities/read-sessions/ingesting.ts"
import { yieldToEventLoop } from "../../src/base/clock.ts"
import { followJournal } from "../../src/storage/journal.ts"
import { sampleTools } from "../../testkit/sessions/sample-tools.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openSessionWorld, type SessionWorld } from "../../testkit/worlds/session-world.ts"

const pi = sampleTools.find(({ name }) => name === "pi")
const id = "pi:01a1dddb-4489-7d79-8f3e-963e9b6c2af1"

/** Lets the clock run until the journal has so many entries of this kind. */
async function runUntil({ db, clock }: SessionWorld, kind: string, wanted: number): Promise<void> {
  const found = new AbortController()
  let isDone = false
  const waiting = (async () => {
    let seen = 0
    for await (const entry of followJournal({ db }, 0, found.signal)) {
      if (entry.kind === kind) seen += 1
      if (seen >= wanted) break
    }
    isDone = true
  })()
  // While a look goes on nothing waits for the time, and it stands still.
  while (!isDone) await (clock.waiting > 0 ? clock.advance(1000) : yieldToEventLoop())
  found.abort()
  await waiting
}

function lineSaying(text: string): string {
  const message = { role: "user", content: text }
  return JSON.stringify({ type: "message", id: text, timestamp: new Date().toISOString(), message })
}

describeDatabases("Reading sessions as they are written", (create) => {
  it("reads what is there, then what comes, and stops when told", async () => {
    const world = await openSessionWorld(await create())
    pi?.write(world.homes.pi)
    const { stop } = startIngesting(world.needsFor())
    onTestFinished(stop)
    await runUntil(world, "session.read", 1)
    const file = join(world.homes.pi, pi?.growing ?? "")
    const say = (text: string) => appendFileSync(file, `${lineSaying(text)}\n`)
    say("said later")
    await runUntil(world, "session.read", 2)
    expect((await world.turns(id)).at(-1)).toMatchObject({ position: 3, text: "said later" })
    await stop()
    say("said after the end")
    expect(world.clock.waiting).toBe(0)
    expect(await world.turns(id)).toHaveLength(4)
    expect(world.logged).toEqual([])
  })

  it("tells once of a file it cannot read, and reads the others", async () => {
    const world = await openSessionWorld(await create())
    pi?.write(world.homes.pi)
    const needs = world.needsFor()
    const broken = {
      tool: "codex" as const,
      locations: async () => [{ id: "x", changedAt: world.clock.now(), stamp: "1" }],
      read: () => Promise.reject(new Error("it is broken")),
    }
    const { stop } = startIngesting({ ...needs, sources: [broken, ...needs.sources] })
    onTestFinished(stop)
    await runUntil(world, "session.read", 1)
    appendFileSync(join(world.homes.pi, pi?.growing ?? ""), `${lineSaying("said later")}\n`)
    await runUntil(world, "session.read", 2)
    await stop()
    expect(world.logged.filter((line) => line.includes("it is broken"))).toHaveLength(1)
  })

  it("does nothing at all where there is nothing to read", async () => {
    const world = await openSessionWorld(await create(), { config: { sessions: { enabled: false } } })
    const { stop } = startIngesting(world.needsFor())
    expect(world.clock.waiting).toBe(0)
    await stop()
  })
})
