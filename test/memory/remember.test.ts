import { describe, expect, test } from "vitest"
import { maxReinforcements, newMemorySchema } from "../../src/memory/model/memory.ts"
import type { PresentedMemory } from "../../src/memory/model/present-memory.ts"
import { forget } from "../../src/memory/write/change/forget-restore.ts"
import { emptyTally } from "../../src/memory/write/import-run.ts"
import { type Remembered, remember } from "../../src/memory/write/remember.ts"
import { rememberAll } from "../../src/memory/write/remember-all.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { createToyEmbedder } from "../../testkit/toy-embedder.ts"
import { graphOf, type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

function idOf(remembered: Remembered): string {
  if (remembered.outcome === "refused") throw new Error(remembered.reason)
  return remembered.id
}

/** Every memory by its id, and the links between them. */
async function graph(world: MemoryWorld) {
  const { memories, edges } = graphOf(await world.export())
  return {
    memories,
    byId: new Map(memories.map((memory) => [memory.id, memory])),
    links: edges
      .filter(({ kind }) => kind !== "has-tag")
      .map(({ source, kind, target }) => [source, kind, target]),
  }
}

/** The messages where a memory was said again. */
function crumbsOf(memory: PresentedMemory | undefined): (number | undefined)[] {
  const details = memory?.details
  return details && "reinforcements" in details
    ? details.reinforcements.map(({ messageIndex }) => messageIndex)
    : []
}

/** Remembers many at once. */
function rememberMany(world: MemoryWorld, memories: object[], options: { verbatim?: boolean } = {}) {
  return world.act(async (needs, by) => {
    const run = { needs, by, tally: emptyTally(), onProgress: () => {} }
    const incoming = async function* () {
      for (const [index, memory] of memories.entries()) yield { line: index + 1, read: () => memory }
    }
    await rememberAll(run, incoming(), { verbatim: options.verbatim ?? false })
    return run.tally
  })
}

describeDatabases("Remembering", (create) => {
  const open = async (seed?: number) =>
    openMemoryWorld(await create(), seed, { embedder: createToyEmbedder() })

  describe("what opposes", () => {
    test("replaces an older memory of the same trust, and says what opposes what", async () => {
      const world = await open()
      const old = idOf(await world.remember("The API listens on port 8080"))
      const told = await world.remember("The API listens on port 9090")
      expect(told).toMatchObject({ outcome: "superseded", related: [old] })
      expect(told).toMatchObject({ reason: expect.stringMatching(/8080.*9090|9090.*8080/) })
      const { byId, links } = await graph(world)
      expect(byId.get(old)).toMatchObject({ status: "superseded", supersededBy: idOf(told), strength: 1 })
      expect(byId.get(idOf(told))).toMatchObject({ status: "active", supersededBy: null })
      expect(links).toEqual([[idOf(told), "supersedes", old]])
    })

    test("is looked for before repetition: nearly the same words, and nothing is merged", async () => {
      const world = await open()
      const old = idOf(await world.remember("Agents can push to main"))
      // The two share every stem, so by meaning alone they would be one.
      expect(await world.remember("Agents can't push to main")).toMatchObject({ outcome: "superseded" })
      const { memories, byId } = await graph(world)
      expect(memories).toHaveLength(2)
      expect(byId.get(old)).toMatchObject({ strength: 1, content: "Agents can push to main" })
    })

    test("loses to a user's later correction, whatever its trust, and not to an earlier one", async () => {
      const world = await open()
      const corrected = idOf(
        await world.remember("The office is in France", { source: "user-corrected", createdAt: 1000 }),
      )
      const stated = await world.remember("The office is in Spain", { source: "user-stated" })
      expect(stated).toMatchObject({ outcome: "conflict", related: [corrected] })
      const before = { source: "user-corrected", createdAt: 2000 } as const
      const late = await world.remember("The office is in Malta", before)
      expect(late).toMatchObject({ outcome: "conflict" })
      const again = await world.remember("The office is in Italy", { source: "user-corrected" })
      expect(again).toMatchObject({ outcome: "superseded" })
      const { byId } = await graph(world)
      expect(byId.get(corrected)).toMatchObject({ status: "superseded", supersededBy: idOf(late) })
      expect(byId.get(idOf(stated))).toMatchObject({ status: "superseded", supersededBy: idOf(again) })
    })

    test("replaces what is trusted less, even if that is newer", async () => {
      const world = await open()
      const guessed = idOf(await world.remember("The office is in France", { source: "inferred" }))
      const stated = await world.remember("The office is in Spain", {
        source: "user-stated",
        createdAt: 1000,
      })
      expect(stated).toMatchObject({ outcome: "superseded", related: [guessed] })
      expect((await graph(world)).byId.get(guessed)).toMatchObject({ status: "superseded" })
    })

    test("is kept as a conflict where it may well be another thing, and beside it where it surely is", async () => {
      const world = await open()
      const first = idOf(await world.remember("Tests run on Linux"))
      const second = await world.remember("Tests run on macOS")
      expect(second).toMatchObject({ outcome: "conflict", related: [first] })
      await world.remember("Restarted the server at 10:00")
      expect(await world.remember("Restarted the server at 14:00")).toMatchObject({ outcome: "saved" })
      const { memories, links } = await graph(world)
      expect(memories.map(({ status }) => status)).toEqual(memories.map(() => "active"))
      expect(links.filter(([, kind]) => kind === "contradicts")).toEqual([
        [idOf(second), "contradicts", first],
      ])
    })

    test("is kept as a conflict beside what is trusted more: both active, linked, and nothing lost", async () => {
      const world = await open()
      const stated = idOf(await world.remember("The tests pass", { source: "user-stated" }))
      const guessed = await world.remember("The tests fail", { source: "inferred" })
      expect(guessed).toMatchObject({ outcome: "conflict", related: [stated] })
      const { byId, links } = await graph(world)
      expect([byId.get(stated)?.status, byId.get(idOf(guessed))?.status]).toEqual(["active", "active"])
      expect(links).toEqual([[idOf(guessed), "contradicts", stated]])
    })

    test("is stored as replaced when it arrives late, so that the newer one still holds", async () => {
      const world = await open()
      const newer = idOf(await world.remember("The service runs on Node 22", { createdAt: 2_000_000 }))
      const older = await world.remember("The service runs on Node 20", { createdAt: 1_000_000 })
      expect(older).toMatchObject({ outcome: "superseded", related: [newer] })
      const { byId, links } = await graph(world)
      expect(byId.get(newer)).toMatchObject({ status: "active" })
      expect(byId.get(idOf(older))).toMatchObject({ status: "superseded", supersededBy: newer })
      expect(links).toEqual([[newer, "supersedes", idOf(older)]])
      expect(await world.find("Node service")).toEqual(["The service runs on Node 22"])
    })

    test("said again while the conflict stands, is reinforced instead of doubled", async () => {
      const world = await open()
      await world.remember("The tests pass", { source: "user-stated" })
      const guessed = idOf(await world.remember("The tests fail", { source: "inferred" }))
      expect(await world.remember("The tests fail", { source: "inferred" })).toMatchObject({
        outcome: "reinforced",
        id: guessed,
      })
      const { memories, links } = await graph(world)
      expect(memories).toHaveLength(2)
      expect(links).toHaveLength(1)
    })

    test("and is known already: the known one is reinforced and replaces what it now outweighs", async () => {
      const world = await open()
      const stated = idOf(await world.remember("The tests pass", { source: "user-stated" }))
      const guessed = idOf(await world.remember("The tests fail", { source: "inferred" }))
      expect(await world.remember("The tests fail", { source: "user-corrected" })).toMatchObject({
        outcome: "reinforced",
        id: guessed,
        related: [stated],
      })
      const { memories, byId, links } = await graph(world)
      expect(memories).toHaveLength(2)
      expect(byId.get(guessed)).toMatchObject({
        status: "active",
        strength: 2,
        trust: 1,
        source: "user-corrected",
      })
      expect(byId.get(stated)).toMatchObject({ status: "superseded", supersededBy: guessed })
      expect(links).toContainEqual([guessed, "supersedes", stated])
    })
  })

  describe("what says the same", () => {
    test("is reinforced, in other words too, with a crumb of where it was said again", async () => {
      const world = await open()
      const id = idOf(await world.remember("Maria owns the billing service", { triggers: ["billing"] }))
      const again = await world.remember("The billing service is owned by Maria", {
        sessionId: "s7",
        messageIndex: 3,
        triggers: ["invoices"],
        tags: ["people"],
      })
      expect(again).toEqual({ outcome: "reinforced", id })
      const { memories } = await graph(world)
      expect(memories).toMatchObject([
        {
          content: "Maria owns the billing service",
          strength: 2,
          tags: ["people"],
          triggers: ["billing", "invoices"],
          details: {
            reinforcements: [
              { at: new Date(world.clock.now()).toISOString(), sessionId: "s7", messageIndex: 3 },
            ],
          },
        },
      ])
    })

    test("keeps only the newest crumbs while strength counts them all", async () => {
      const world = await open()
      const said = maxReinforcements + 5
      for (let index = 0; index <= said; index += 1) {
        await world.remember("Deploys run from main", { sessionId: "s", messageIndex: index })
      }
      const [memory] = (await graph(world)).memories
      expect(memory?.strength).toBe(said + 1)
      expect(crumbsOf(memory)).toEqual(
        Array.from({ length: maxReinforcements }, (_, index) => said - maxReinforcements + 1 + index),
      )
    })

    test("is another memory elsewhere: another scope, project, session, audience or type", async () => {
      const world = await open()
      const places = [
        {},
        { project: "alpha" },
        { project: "beta" },
        { scope: "session" as const, sessionId: "s1" },
        { scope: "session" as const, sessionId: "s2" },
        { audience: "family" },
        { audience: "team" },
        { type: "preference" as const },
      ]
      for (const place of places) {
        expect(await world.remember("Maria owns the billing service", place)).toMatchObject({
          outcome: "saved",
        })
      }
      for (const place of places) {
        expect(await world.remember("The billing service is owned by Maria", place)).toMatchObject({
          outcome: "reinforced",
        })
      }
      expect((await graph(world)).memories.map(({ strength }) => strength)).toEqual(places.map(() => 2))
    })

    test("what opposes elsewhere is left alone", async () => {
      const world = await open()
      const first = idOf(await world.remember("Telemetry is turned on", { project: "alpha" }))
      for (const place of [{ project: "beta" }, {}, { project: "alpha", audience: "ops" }]) {
        expect(await world.remember("Telemetry is turned off", place)).toMatchObject({ outcome: "saved" })
      }
      expect((await graph(world)).byId.get(first)).toMatchObject({ status: "active" })
    })

    test("what is forgotten is not brought back by saying it again", async () => {
      const world = await open()
      const id = idOf(await world.remember("Use lodash"))
      await world.act((needs, by) => forget(needs, [id], by))
      const again = await world.remember("Use lodash")
      expect(again).toMatchObject({ outcome: "saved" })
      expect((await graph(world)).byId.get(id)).toMatchObject({ status: "forgotten", strength: 1 })
    })
  })

  test("what differs in capitals that matter is another text, and in others it is not", async () => {
    const world = await open()
    const known = idOf(await world.remember("Delete it with git branch -d"))
    expect(await world.remember("Delete it with git branch -D")).toMatchObject({ outcome: "saved" })
    expect(await world.remember("delete it with git branch -d.")).toMatchObject({
      outcome: "reinforced",
      id: known,
    })
    const contents = (await graph(world)).memories.map(({ content }) => content)
    expect(contents.sort()).toEqual(["Delete it with git branch -D", "Delete it with git branch -d"])
    expect(await world.find("delete git branch")).toHaveLength(2)
    const tally = await rememberMany(world, [
      { content: "Match it with \\d+" },
      { content: "Match it with \\D+" },
    ])
    expect(tally).toMatchObject({ saved: 2, reinforced: 0 })
  })

  test("verbatim is never merged and never replaces, but later statements see it", async () => {
    const world = await open()
    const first = idOf(await world.remember("The port is 8080"))
    for (const text of ["The port is 8080", "The port is 9090"]) {
      expect(await world.remember(text, { verbatim: true })).toMatchObject({ outcome: "saved" })
    }
    const { memories, links } = await graph(world)
    expect(memories.map(({ status, strength }) => [status, strength])).toEqual(
      memories.map(() => ["active", 1]),
    )
    expect(memories.map(({ id }) => id)).toContain(first)
    expect(links).toEqual([])
    expect(await world.remember("The port is 7070")).toMatchObject({
      outcome: "superseded",
      related: expect.arrayContaining(memories.map(({ id }) => id)),
    })
  })

  test("texts that are alike are linked by how much, and texts that are not stay apart", async () => {
    const world = await open()
    const id = idOf(await world.remember("The billing service writes invoices every night"))
    const near = idOf(await world.remember("The billing service reads invoices every morning"))
    await world.remember("Bananas ripen quickly")
    const { edges } = graphOf(await world.export())
    expect(edges).toMatchObject([{ source: near, kind: "relates-to", target: id }])
    expect(edges[0]?.weight).toBeGreaterThan(0.5)
    expect(edges[0]?.weight).toBeLessThan(1)
  })

  describe("many at once", () => {
    test("each sees those before it in the same batch", async () => {
      const world = await open()
      const tally = await rememberMany(world, [
        { content: "The API listens on port 8080" },
        { content: "Maria owns the billing service" },
        { content: "The API listens on port 9090" },
        { content: "The billing service is owned by Maria" },
        { content: "the api listens on port 9090." },
        { content: "The API listens on port 7070", source: "inferred" },
      ])
      expect(tally).toMatchObject({ saved: 2, superseded: 1, reinforced: 2, conflicts: 1 })
      const { memories } = await graph(world)
      expect(memories.map(({ content, status, strength }) => [content, status, strength]).sort()).toEqual([
        ["Maria owns the billing service", "active", 2],
        ["The API listens on port 7070", "active", 1],
        ["The API listens on port 8080", "superseded", 1],
        ["The API listens on port 9090", "active", 2],
      ])
    })

    test("sees what was known before, and verbatim merges nothing", async () => {
      const world = await open()
      const known = idOf(await world.remember("The user prefers tabs"))
      const given = [{ content: "The user prefers tabs" }, { content: "The user prefers spaces" }]
      expect(await rememberMany(world, given, { verbatim: true })).toMatchObject({ saved: 2, superseded: 0 })
      expect((await graph(world)).byId.get(known)).toMatchObject({ status: "active", strength: 1 })
      expect(await rememberMany(world, [{ content: "The user prefers spaces" }])).toMatchObject({
        reinforced: 1,
      })
      expect((await graph(world)).byId.get(known)).toMatchObject({ status: "superseded" })
    })

    test("is one operation, which undo takes back whole", async () => {
      const world = await open()
      await world.remember("The port is 8080")
      const before = graphOf(await world.export())
      await rememberMany(world, [{ content: "The port is 9090" }, { content: "Something else altogether" }])
      await world.undo()
      expect(graphOf(await world.export())).toEqual(before)
    })

    test("names the line of what it cannot take", async () => {
      const world = await open()
      const tally = await rememberMany(world, [{ content: "fits" }, { content: " " }, { text: "no content" }])
      expect(tally).toMatchObject({ saved: 1, refused: 1, failed: 1 })
      expect(tally.problems).toEqual([
        expect.stringMatching(/^line 2 was refused/),
        expect.stringMatching(/^line 3 cannot be used/),
      ])
    })
  })

  describe("the same operation twice", () => {
    const outcomes = [
      ["saved", undefined, "The port is 8080", {}],
      ["reinforced", "The port is 8080", "The port is 8080", {}],
      ["superseded", "The port is 8080", "The port is 9090", {}],
      ["conflict", "The port is 8080", "The port is 9090", { source: "inferred" as const }],
    ] as const

    test.each(outcomes)("is done once when it %s", async (outcome, known, text, given) => {
      const world = await open()
      if (known) await world.remember(known)
      const act = world.by()
      const first = await world.remember(text, given, act)
      expect(first).toMatchObject({ outcome })
      const after = graphOf(await world.export())
      const entries = await readJournal(world.db, { limit: 1000 })
      expect(await world.remember(text, given, act)).toEqual(first)
      expect(graphOf(await world.export())).toEqual(after)
      expect(await readJournal(world.db, { limit: 1000 })).toEqual(entries)
    })

    test("is done once when both are under way at the same time", async () => {
      const world = await open()
      const act = world.by()
      const given = newMemorySchema.parse({ content: "Said by an impatient client" })
      const [first, second] = await Promise.all([remember(world, given, act), remember(world, given, act)])
      expect(second).toEqual(first)
      expect((await graph(world)).memories).toMatchObject([{ strength: 1 }])
    })
  })

  describe("two writers", () => {
    /** A world whose next write is preceded by somebody else's act. */
    function interrupted(world: MemoryWorld, act: () => Promise<unknown>, times = 1) {
      let left = times
      const write: MemoryWorld["db"]["write"] = async (work) => {
        if (left > 0) {
          left -= 1
          await act()
        }
        return world.db.write(work)
      }
      return { ...world, db: { ...world.db, write } }
    }

    test("a plan is made anew when another says the same meanwhile", async () => {
      const world = await open()
      const other = interrupted(world, () => world.remember("Maria owns billing"))
      const given = newMemorySchema.parse({ content: "maria owns  billing." })
      expect(await remember(other, given, world.by())).toMatchObject({ outcome: "reinforced" })
      expect((await graph(world)).memories).toMatchObject([{ strength: 2 }])
    })

    test("a plan is made anew when what it would replace is changed meanwhile", async () => {
      const world = await open()
      const old = idOf(await world.remember("The port is 8080"))
      const other = interrupted(world, () => world.act((needs, by) => forget(needs, [old], by)))
      const given = newMemorySchema.parse({ content: "The port is 9090" })
      expect(await remember(other, given, world.by())).toMatchObject({ outcome: "saved" })
      const { byId, links } = await graph(world)
      expect(byId.get(old)).toMatchObject({ status: "forgotten", supersededBy: null })
      expect(links).toEqual([])
    })

    test("no reinforcement is lost", async () => {
      const world = await open()
      await world.remember("Deploys run from main")
      let round = 0
      const again = () => world.remember("Deploys run from main", { messageIndex: round++ })
      const given = newMemorySchema.parse({ content: "Deploys run from main", messageIndex: 99 })
      await remember(interrupted(world, again, 3), given, world.by())
      const { memories } = await graph(world)
      expect(memories).toMatchObject([{ strength: 5 }])
      expect(crumbsOf(memories[0])).toEqual([0, 1, 2, 99])
    })

    test("a writer that is disturbed without end keeps the memory all the same", async () => {
      const world = await open()
      await world.remember("Deploys run from main")
      const again = () => world.remember("Deploys run from main")
      const given = newMemorySchema.parse({ content: "deploys run from main" })
      const told = await remember(interrupted(world, again, 100), given, world.by())
      expect(told).toMatchObject({ outcome: "saved" })
      expect((await graph(world)).memories.map(({ strength }) => strength)).toEqual([6, 1])
    })

    test("many at the same time save a text once and count the others", async () => {
      const world = await open()
      const given = newMemorySchema.parse({ content: "Everybody says this" })
      const told = await Promise.all([1, 2, 3, 4].map(() => remember(world, given, world.by())))
      expect(told.map(({ outcome }) => outcome).sort()).toEqual([
        "reinforced",
        "reinforced",
        "reinforced",
        "saved",
      ])
      expect((await graph(world)).memories).toMatchObject([{ strength: 4 }])
    })
  })
})
