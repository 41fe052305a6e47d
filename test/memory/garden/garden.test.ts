import { describe, expect, test } from "vitest"
import { termsOf } from "../../../src/language/terms.ts"
import { markAsked } from "../../../src/memory/garden/marks.ts"
import { runGarden } from "../../../src/memory/garden/run-garden.ts"
import { createNearVectors } from "../../../src/memory/garden/similar/near-vectors.ts"
import { createSharedWords } from "../../../src/memory/garden/similar/shared-words.ts"
import { findDueClusters } from "../../../src/memory/garden/works.ts"
import { createLossBudget } from "../../../src/memory/model/agents/losses.ts"
import { noteGap } from "../../../src/memory/write/gaps.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"
import { createTopicEmbedder, sentencesAbout } from "../../../testkit/sessions/topics.ts"
import { describeDatabases } from "../../../testkit/setup/databases.ts"
import { graphOf, openMemoryWorld } from "../../../testkit/worlds/memory-world.ts"
import { type GardenWorld, openGardenWorld } from "./world.ts"

const verbatim = { verbatim: true } as const

function namesOf({ deeds }: Awaited<ReturnType<GardenWorld["garden"]>>): string[] {
  return deeds.map(({ name }) => name)
}

describe("Vectors of a large place", () => {
  const random = createSeededRandom(7)
  const dimensions = 96
  const draw = () => {
    const vector = Float32Array.from({ length: dimensions }, () => random.next() + random.next() - 1)
    const length = Math.hypot(...vector)
    return vector.map((value) => value / length)
  }
  /** A vector whose cosine with another is about this. */
  const beside = (vector: Float32Array, cosine: number) => {
    const other = draw()
    const mixed = vector.map((value, at) => cosine * value + Math.sqrt(1 - cosine ** 2) * (other[at] ?? 0))
    const length = Math.hypot(...mixed)
    return mixed.map((value) => value / length)
  }

  test("are found by what is near them, and nothing that is far", () => {
    const pairs = 300
    const rows = 4000
    const near = createNearVectors(rows, dimensions)
    const vectors = Array.from({ length: rows - pairs }, draw)
    const copies = vectors.slice(0, pairs).map((vector) => beside(vector, 0.97))
    for (const [row, vector] of [...vectors, ...copies].entries()) near.put(row, vector)
    near.seal()
    const missed = copies.filter((_, index) => {
      const row = vectors.length + index
      return !near.near(row, 0.9).some((one) => one.row === index)
    })
    expect(missed.length).toBeLessThanOrEqual(3)
    const all = Array.from({ length: rows }, (_, row) => near.near(row, 0.9)).flat()
    expect(all.length).toBeLessThanOrEqual(2 * pairs)
    expect(all.every(({ score }) => score >= 0.9 && score < 1)).toBe(true)
  })
})

describe("Words of a place", () => {
  test("lead to what shares most of them, however common some are", async () => {
    const texts = [
      "The billing service deploys to Frankfurt every Monday",
      "The billing service deploys to Dublin every Monday",
      "Nobody likes the coffee of the second floor",
      ...Array.from(
        { length: 400 },
        (_, number) => `The service number${number} deploys host${number} every Monday`,
      ),
    ]
    const words = createSharedWords(texts.length)
    for (const [row, text] of texts.entries()) words.put(row, termsOf(text))
    await words.seal()
    expect(words.sharing(1)[0]).toMatchObject({ row: 0 })
    expect(words.sharing(0)[0]).toMatchObject({ row: 1 })
    expect(words.sharing(2)).toEqual([])
  })
})

describeDatabases("The garden", (create) => {
  test.each([
    ["The database is PostgreSQL 15", "The database is PostgreSQL 16", "one"],
    ["I prefer spaces over tabs in Python", "I prefer tabs over spaces", "both"],
    ["Never deploy on Fridays", "Deploy on Fridays only in emergencies", "both"],
  ])("lets “%s” be replaced only by what says nothing else: “%s”", async (older, newer, left) => {
    const world = await openGardenWorld(await create(), { byWords: true })
    await world.remember(older, verbatim)
    await world.remember(newer, verbatim)
    await world.garden()
    const stays = left === "one" ? [newer] : [newer, older].sort()
    expect(await world.active()).toEqual(stays.map((text) => `everywhere: ${text}`))
  })

  test("keeps both where nobody knows which came later", async () => {
    const world = await openGardenWorld(await create(), { byWords: true })
    const createdAt = Date.UTC(2025, 5, 1)
    for (const version of [15, 16])
      await world.remember(`The database is PostgreSQL ${version}`, { ...verbatim, createdAt })
    expect(namesOf(await world.garden())).toEqual(["conflicts linked"])
    expect(await world.active()).toHaveLength(2)
  })

  const open = async (options = {}) => openGardenWorld(await create(), options)

  test("merges what says the same, with all that was known of both", async () => {
    const world = await open()
    await world.remember("We deploy on Monday", {
      ...verbatim,
      tags: ["deploy"],
      sessionId: "a",
      messageIndex: 1,
    })
    await world.remember("we deploy on monday.", {
      ...verbatim,
      tags: ["week"],
      sessionId: "b",
      messageIndex: 7,
    })
    await world.remember("We deploy on  Monday", { ...verbatim, project: "shop" })
    await world.remember("We deploy on Monday", { ...verbatim, type: "preference" })
    expect(namesOf(await world.garden())).toContain("duplicates merged")
    const { memories } = graphOf(await world.export())
    const [kept] = memories.filter(({ strength }) => strength > 1)
    expect(kept).toMatchObject({ content: "We deploy on Monday", tags: ["deploy", "week"], strength: 2 })
    expect(memories.filter(({ status }) => status === "superseded")).toMatchObject([
      { supersededBy: kept?.id },
    ])
  })

  test("lets the newer replace what it opposes, and the better source stand", async () => {
    const world = await open()
    await world.remember("The default branch is main", { ...verbatim, source: "extracted" })
    await world.remember("The default branch is trunk", { ...verbatim, source: "extracted" })
    await world.remember("The build takes 10 minutes", { ...verbatim, source: "user-stated" })
    await world.remember("The build takes 20 minutes", { ...verbatim, source: "extracted" })
    await world.remember("Tests do not need the network", {
      ...verbatim,
      source: "user-corrected",
      project: "shop",
    })
    await world.remember("Tests need the network", { ...verbatim, source: "user-stated", project: "shop" })
    const report = await world.garden()
    expect(new Set(namesOf(report))).toEqual(new Set(["contradicted replaced", "conflicts linked"]))
    expect(report.open.map(({ kind, memories }) => [kind, memories.length])).toEqual([
      ["contradiction", 2],
      ["contradiction", 2],
    ])
    expect((await world.active()).filter((text) => text.includes("branch"))).toEqual([
      "everywhere: The default branch is trunk",
    ])
    expect(await world.active()).toHaveLength(5)
  })

  test("takes nothing back of what was said in a conversation", async () => {
    const world = await open()
    await world.remember("Caroline: I like the museum", verbatim)
    await world.remember("Caroline: I do not like the museum", verbatim)
    expect((await world.garden()).deeds.filter(({ lost }) => lost > 0)).toEqual([])
  })

  test("compares by words alone where there is no embedder", async () => {
    const world = await open({ byWords: true })
    await world.remember("Tests run with vitest in watch mode", verbatim)
    await world.remember("tests run with vitest in watch mode.", verbatim)
    await world.remember("The port of the shop is 8080", verbatim)
    await world.remember("The port of the shop is 9090", verbatim)
    expect(new Set(namesOf(await world.garden()))).toEqual(
      new Set(["duplicates merged", "contradicted replaced"]),
    )
    expect(await world.active()).toHaveLength(2)
  })

  test("does not put aside again what somebody brought back", async () => {
    const world = await open()
    await world.remember("We deploy on Monday", verbatim)
    await world.remember("We deploy on Monday.", verbatim)
    const old = { createdAt: Date.UTC(2020, 0, 1), type: "observation" as const }
    await world.remember("The moon was full over the old mill", { ...verbatim, ...old })
    const before = graphOf(await world.export())
    const report = await world.garden()
    expect(namesOf(report).sort()).toEqual(["archived as expired", "duplicates merged"])
    await world.takeBack(report)
    expect(graphOf(await world.export())).toEqual(before)
    expect((await world.garden()).deeds).toEqual([])
  })

  test("compares only what is new once it has seen all", { timeout: 120_000 }, async () => {
    const world = await open()
    const lines = Array.from({ length: 1100 }, (_, number) => {
      return JSON.stringify({ content: `Room${number} belongs to team${number} since spring${number}` })
    })
    await world.import(lines.join("\n"), true)
    const quiet = (await world.garden()).deeds.filter(({ lost }) => lost > 0)
    expect(quiet).toEqual([])
    await world.remember("room7 belongs to team7 since spring7.", verbatim)
    await world.remember("Room7 belongs to team7 since  spring7", verbatim)
    const report = await world.garden()
    expect(namesOf(report)).toEqual(expect.arrayContaining(["duplicates merged"]))
    expect(report.deeds.reduce((sum, { lost }) => sum + lost, 0)).toBe(2)
    expect((await world.garden()).deeds).toEqual([])
  })

  test("finds clusters anew once enough changed, and not again right after", async () => {
    const store = await create()
    const world = await openMemoryWorld(store, 1, { embedder: createTopicEmbedder() })
    for (const subject of ["kitchen", "garden"] as const)
      for (const text of sentencesAbout(subject, 15)) await world.remember(text, verbatim)
    const pass = {
      by: world.by,
      limit: 100,
      losses: createLossBudget(100),
      signal: new AbortController().signal,
    }
    await runGarden(world, [findDueClusters(world)], pass)
    const { clusters } = graphOf(await world.export())
    expect(clusters).toHaveLength(2)
    const runs = await readJournal(world.db, { kind: "clusters.refreshed" })
    await runGarden(world, [findDueClusters(world)], pass)
    expect(await readJournal(world.db, { kind: "clusters.refreshed" })).toEqual(runs)
  })

  test("tells what was asked in vain more than once", async () => {
    const world = await open()
    const gap = { install: "i", project: null, session: "s", at: 1 }
    await world.db.write(async (transaction) => {
      for (const question of [
        "Where does the shop keep its keys?",
        "Where does the shop keep its keys?",
        "Who?",
      ])
        await noteGap(transaction, { ...gap, question }, world.by())
    })
    expect((await world.garden()).gaps).toEqual([
      { project: null, question: "Where does the shop keep its keys?", times: 2 },
    ])
  })

  test("asks about what is nearly the same until somebody has been asked", async () => {
    const world = await open()
    const words = "sessions, queues, carts, prices, stock, mail, jobs, logs, locks, flags, counters"
    await world.remember(`Redis keeps ${words}`, verbatim)
    await world.remember(`Redis keeps ${words} and lists`, verbatim)
    for (const report of [await world.garden(), await world.garden()]) {
      expect(report.open.map(({ kind }) => kind)).toEqual(["duplicate"])
      if (report.deeds.length === 0) await markAsked(world.db, report.open, world.clock.now())
    }
    expect((await world.garden()).open).toEqual([])
    expect(await world.active()).toHaveLength(2)
  })
})
