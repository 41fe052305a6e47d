import { mkdirSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import {
  extractingReader,
  extractSession,
  previewSession,
} from "../../../src/memory/extract/extract-session.ts"
import { readDue } from "../../../src/sessions/read-due.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { sql } from "../../../src/storage/sql.ts"
import { serveModel } from "../../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"
import { describeDatabases } from "../../../testkit/setup/databases.ts"
import { notes, openExtractionWorld } from "../../../testkit/worlds/extraction-world.ts"

const minute = 60_000
const id = "codex:one"
const rule = (number: number) => `user: Never use library-${number} in this repo.`

type World = Awaited<ReturnType<typeof openExtractionWorld>>

/** One look of the activity. */
const look = ({ needs }: World, resting = new Map<string, number>()) =>
  readDue(needs, extractingReader(needs), resting)

const contents = async (world: World) => (await world.all()).map(({ content }) => content)

async function markerOf({ db }: World, session = id) {
  const [row] = await db.read<{ read: number; at: number | null; extraction: string | null }>(sql`
    select extracted_turns as read, extracted_at as at, extraction from sessions where id = ${session}`)
  return { read: Number(row?.read), at: row?.at ?? null, extraction: JSON.parse(row?.extraction ?? "null") }
}

describeDatabases("Reading sessions", (create) => {
  it.each(["closed", "crashed"] as const)("reads a session that is %s, once", async (status) => {
    const world = await openExtractionWorld(await create())
    await world.storeSession({ id, status, said: [rule(1), "assistant: ok"] })
    await look(world)
    await look(world)
    expect(await contents(world)).toEqual(["Never use library-1 in this repo."])
    expect(await world.all()).toMatchObject([{ strength: 1 }])
    expect(await markerOf(world)).toMatchObject({
      read: 2,
      at: expect.anything(),
      extraction: { by: "rules", memories: 1 },
    })
    const entries = await readJournal(world.db, { kind: "session.extracted" })
    expect(entries).toMatchObject([{ subject: id, data: { from: 0, to: 1, by: "rules" } }])
  })

  it("writes memories, mark and journal as one operation that undo takes back, and does not learn it again", async () => {
    const world = await openExtractionWorld(await create())
    await world.storeSession({ id, said: [rule(1), rule(2)] })
    const { parts } = await extractSession(world.needs, id, "test")
    const kinds = await readJournal(world.db, { operation: parts[0]?.operation })
    expect(kinds.map(({ kind }) => kind)).toEqual(["memory.saved", "memory.saved", "session.extracted"])
    await world.undo(parts[0]?.operation)
    await look(world)
    expect(await contents(world)).toEqual([])
  })

  it("reads a session that goes on after extraction.every_turns messages of the user's", async () => {
    const config = { extraction: { every_turns: 3 } }
    const world = await openExtractionWorld(await create(), { config })
    await world.storeSession({
      id,
      status: "active",
      said: [rule(1), "assistant: ok", rule(2), "assistant: ok"],
    })
    await look(world)
    expect(await contents(world)).toEqual([])
    await world.storeSession({ id, status: "active", said: [rule(3)] })
    await look(world)
    expect(await markerOf(world)).toMatchObject({ read: 5 })
    await world.storeSession({ id, status: "active", said: [rule(4)] })
    await look(world)
    expect(await contents(world)).toHaveLength(3)
    await world.storeSession({ id, status: "closed", said: [] })
    await look(world)
    expect(await contents(world)).toHaveLength(4)
  })

  it("waits for the end where extraction.every_turns is 0", async () => {
    const world = await openExtractionWorld(await create(), { config: { extraction: { every_turns: 0 } } })
    await world.storeSession({ id, status: "active", said: [rule(1), rule(2), rule(3)] })
    await look(world)
    expect(await contents(world)).toEqual([])
  })

  it("reads an open session that nobody touched for extraction.idle_minutes", async () => {
    const world = await openExtractionWorld(await create(), { config: { extraction: { idle_minutes: 10 } } })
    await world.storeSession({ id, status: "active", said: [rule(1)] })
    await look(world)
    expect(await contents(world)).toEqual([])
    await world.clock.advance(11 * minute)
    await look(world)
    expect(await contents(world)).toHaveLength(1)
  })

  it("leaves sessions older than extraction.look_back_days to the command", async () => {
    const world = await openExtractionWorld(await create(), { config: { extraction: { look_back_days: 2 } } })
    await world.storeSession({ id, said: [rule(1)], at: world.clock.now() - 3 * 24 * 60 * minute })
    await look(world)
    expect(await contents(world)).toEqual([])
    await extractSession(world.needs, id, "test")
    expect(await contents(world)).toHaveLength(1)
  })

  it("learns nothing where a project sets extraction.enabled to false", async () => {
    const folder = throwawayFolder()
    mkdirSync(join(folder, ".reverie"))
    writeFileSync(join(folder, ".reverie", "config.toml"), "[extraction]\nenabled = false\n")
    const world = await openExtractionWorld(await create())
    await world.storeSession({ id, folder, said: [rule(1)] })
    await look(world)
    expect(await contents(world)).toEqual([])
    expect(await markerOf(world)).toMatchObject({ read: 1 })
  })

  it("asks no model where extraction.use_model is false", async () => {
    const server = await serveModel()
    const models = { provider: "local" as const, local_url: `${server.url}/v1`, local_model: "reader" }
    const config = { models, extraction: { use_model: false } }
    const world = await openExtractionWorld(await create(), { server, config })
    await world.storeSession({ id, said: [rule(1)] })
    await extractSession(world.needs, id, "test")
    expect(server.requests).toEqual([])
    expect(await contents(world)).toHaveLength(1)
  })

  it("learns no more at once than extraction.most_memories", async () => {
    const world = await openExtractionWorld(await create(), { config: { extraction: { most_memories: 2 } } })
    await world.storeSession({ id, said: [rule(1), rule(2), rule(3)] })
    await extractSession(world.needs, id, "test")
    expect(await contents(world)).toHaveLength(2)
  })

  it("reads a long session in parts and each turn once", async () => {
    const world = await openExtractionWorld(await create())
    const said = Array.from({ length: 100 }, (_, index) =>
      index % 50 === 0 ? rule(index) : "assistant: going on",
    )
    await world.storeSession({ id, said })
    const { parts } = await extractSession(world.needs, id, "test")
    expect(parts.map(({ from, to }) => [from, to])).toEqual([
      [0, 83],
      [84, 99],
    ])
    expect(await contents(world)).toHaveLength(2)
  })

  it("leaves a session alone that a living process reads, and takes over from a dead or a late one", async () => {
    const world = await openExtractionWorld(await create())
    await world.storeSession({ id, said: [rule(1)] })
    const claim = (pid: number, host = hostname()) => {
      const held = JSON.stringify({ claim: "claim_other", pid, host, until: world.clock.now() + minute })
      return world.db.write((transaction) => transaction.run(sql`update sessions set extraction = ${held}`))
    }
    await claim(1, "elsewhere")
    expect(await extractSession(world.needs, id, "test")).toMatchObject({ isBusy: true, parts: [] })
    await world.clock.advance(2 * minute)
    expect(await extractSession(world.needs, id, "test")).toMatchObject({
      isBusy: false,
      parts: [{ from: 0 }],
    })
    await world.storeSession({ id, said: [rule(2)] })
    await claim(2 ** 22 - 1)
    expect(await extractSession(world.needs, id, "test")).toMatchObject({
      isBusy: false,
      parts: [{ from: 1 }],
    })
  })

  it("learns nothing twice when several read the same session at once", async () => {
    const world = await openExtractionWorld(await create())
    await world.storeSession({ id, said: Array.from({ length: 12 }, (_, index) => rule(index)) })
    await Promise.all([1, 2, 3].map(() => extractSession(world.needs, id, "test")))
    expect(await contents(world)).toHaveLength(12)
    expect((await world.all()).every(({ strength }) => strength === 1)).toBe(true)
    expect(await readJournal(world.db, { kind: "session.extracted" })).toHaveLength(1)
  })

  it("writes nothing where its claim was taken over while the model thought", async () => {
    const server = await serveModel()
    const world = await openExtractionWorld(await create(), { server })
    await world.storeSession({ id, said: [rule(1)] })
    server.next(async () => {
      await world.db.write((transaction) =>
        transaction.run(sql`update sessions set extracted_turns = 1, extraction = '{"by":"rules"}'`),
      )
      return notes()
    })
    expect(await extractSession(world.needs, id, "test")).toMatchObject({ isBusy: true, parts: [] })
    expect(await contents(world)).toEqual([])
  })

  it("goes on with a session whose reading failed", async () => {
    const world = await openExtractionWorld(await create())
    await world.storeSession({ id, said: [rule(1)] })
    const broken = {
      ...world.needs,
      screen: { ...world.screen, check: () => Promise.reject(new Error("no")) },
    }
    await expect(extractSession(broken, id, "test")).rejects.toThrow("no")
    expect(await markerOf(world)).toMatchObject({ read: 0, extraction: null })
    const resting = new Map<string, number>()
    await look({ ...world, needs: broken }, resting)
    await look(world, resting)
    expect(await contents(world)).toEqual([])
    await world.clock.advance(11 * minute)
    await look(world, resting)
    expect(await contents(world)).toHaveLength(1)
  })

  it("only tells what it would learn when asked to, part by part", async () => {
    const world = await openExtractionWorld(await create())
    await world.storeSession({ id, said: [rule(1), "assistant: ok", rule(2)] })
    const { parts } = await previewSession(world.needs, id)
    expect(parts.flatMap(({ learned }) => learned.map(({ claim }) => claim.content))).toHaveLength(2)
    expect(await contents(world)).toEqual([])
    expect(await markerOf(world)).toMatchObject({ read: 0 })
  })

  it("promotes what two sessions found in different places, and keeps in quarantine what one did", async () => {
    const server = await serveModel()
    const world = await openExtractionWorld(await create(), { server })
    const fact = { content: "The thumbnails are made by the pelican worker.", type: "fact", turns: [2] }
    const said = (file: string, text: string) => [
      "user: why are the thumbnails late today",
      `tool[${file}]: ${text}`,
      "assistant: The thumbnails are made by the pelican worker.",
    ]
    const readme = said("/work/one/README.md", "Thumbnails are made by a worker that is called pelican.")
    const queue = said("/work/one/queue.yml", "workers:\n  pelican: { topic: thumbnails, command: make }")
    server.script([notes(fact), notes(fact), notes(fact)])
    for (const [id, turns] of [
      ["codex:a", readme],
      ["codex:b", readme],
    ] as const) {
      await world.storeSession({ id, said: turns })
      await extractSession(world.needs, id, "test")
      expect(await world.find("thumbnails pelican worker")).toEqual([])
    }
    await world.storeSession({ id: "claude-code:c", said: queue })
    await extractSession(world.needs, "claude-code:c", "test")
    expect(await world.find("thumbnails pelican worker")).toEqual([fact.content])
    onTestFinished(() => server.done())
  })

  it("reads by rules at once while the budget holds the model back, and has the model read once it may", async () => {
    const server = await serveModel()
    const budget = { isOpen: false, asked: 0 }
    const heldBack = async () => {
      budget.asked += 1
      return budget.isOpen ? undefined : "You are working, so Reverie waits."
    }
    const world = await openExtractionWorld(await create(), { server, heldBack })
    await world.storeSession({
      id,
      said: [rule(1), "user: The staging database is called heron, by the way."],
    })
    await look(world)
    await look(world)
    expect(await contents(world)).toEqual(["Never use library-1 in this repo."])
    expect(server.requests).toEqual([])
    budget.isOpen = true
    server.script([
      notes(
        { content: "Never use library-1 in this repo.", type: "negative", turns: [0] },
        { content: "The staging database is called heron.", type: "fact", turns: [1] },
      ),
    ])
    await look(world)
    await look(world)
    expect(server.requests).toHaveLength(1)
    expect(await contents(world)).toEqual([
      "Never use library-1 in this repo.",
      "The staging database is called heron.",
    ])
    expect(await world.all()).toMatchObject([{ strength: 1 }, { strength: 1 }])
    expect(await markerOf(world)).toMatchObject({ read: 2, extraction: { by: "reader", memories: 1 } })
    const entries = await readJournal(world.db, { kind: "session.extracted" })
    expect(entries).toMatchObject([
      { data: { from: 0, to: 1, by: "rules" } },
      { data: { from: 0, to: 1, by: "reader" } },
    ])
  })

  it("has a model read what it missed before it reads on, each turn once", async () => {
    const server = await serveModel()
    const budget = { isOpen: false }
    const heldBack = async () => (budget.isOpen ? undefined : "The 5h window is used up.")
    const world = await openExtractionWorld(await create(), { server, heldBack })
    const long = (word: string) => `user: Here is a long enough sentence about ${word}.`
    await world.storeSession({ id, said: [long("apples")] })
    await look(world)
    await world.storeSession({ id, said: [long("apples"), long("pears")] })
    budget.isOpen = true
    server.script([notes(), notes()])
    await look(world)
    const asked = server.requests.map((request) => JSON.stringify(request.asked.messages))
    expect(asked).toHaveLength(2)
    expect(asked[0]).not.toContain("pears")
    expect(asked[1]).toContain("pears")
  })
})
