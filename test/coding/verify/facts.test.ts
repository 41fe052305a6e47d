import { rmSync } from "node:fs"
import { expect, test } from "vitest"
import { verifyFacts } from "../../../src/coding/verify/facts.ts"
import { runGarden } from "../../../src/memory/garden/run-garden.ts"
import { undo } from "../../../src/memory/history/undo.ts"
import { whyBelieved } from "../../../src/memory/history/why.ts"
import { whySentences } from "../../../src/memory/history/why-words.ts"
import { createLossBudget } from "../../../src/memory/model/agents/losses.ts"
import { findMemory } from "../../../src/memory/model/store/store.ts"
import { editMemory } from "../../../src/memory/write/change/edit.ts"
import { openOffLimits } from "../../../src/privacy/files/off-limits.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { createRepository } from "../../../testkit/git-repository.ts"
import { describeDatabases, type TestDatabase } from "../../../testkit/setup/databases.ts"
import { graphOf, openMemoryWorld } from "../../../testkit/worlds/memory-world.ts"

const dayMs = 86_400_000

/** A memory, a repository with a history, and a garden that does nothing but verify facts. */
async function openFacts(store: TestDatabase) {
  const world = await openMemoryWorld(store)
  const { db, clock } = world
  const repository = createRepository()
  const packageJson = (react: string) => JSON.stringify({ dependencies: { react } }, null, 2)
  repository.commit({
    "src/a.ts": "the first file\n",
    "src/b.ts": "b\n",
    "package.json": packageJson("^18.0.0"),
  })
  const work = verifyFacts({
    ...world,
    install: "here",
    offLimits: openOffLimits({ clock }),
  })
  let count = 0
  const by = () => ({ operation: `cy_1-${++count}`, actor: "ambient" })
  return {
    ...world,
    repository,
    packageJson,
    async add(content: string, given: Parameters<typeof world.remember>[1] = {}) {
      const about = { project: repository.root, source: "extracted" as const, confidence: 0.8 }
      const remembered = await world.remember(content, { ...about, ...given })
      return "id" in remembered ? remembered.id : ""
    },
    async get(id: string) {
      const memory = await findMemory(db, id)
      if (memory === undefined) throw new Error(`there is no ${id}`)
      return memory
    },
    async garden({ limit = 1000, lossLimit = 1000, signal = new AbortController().signal } = {}) {
      await clock.advance(1000)
      return runGarden({ db }, [work], { by, limit, losses: createLossBudget(lossLimit), signal })
    },
  }
}

describeDatabases("Facts", (create) => {
  test("what holds is confirmed when it is due, and only then", async () => {
    const facts = await openFacts(await create())
    const id = await facts.add("Parsing is done in src/a.ts")
    expect((await facts.garden()).deeds).toEqual([])
    await facts.clock.advance(10 * dayMs)
    const report = await facts.garden()
    expect(report.deeds).toMatchObject([{ name: "facts checked", changed: 1, lost: 0, looked: 1 }])
    expect(await facts.get(id)).toMatchObject({ confidence: 0.82, verifiedAt: facts.clock.now(), version: 1 })
    expect((await facts.garden()).deeds).toEqual([])
  })

  test("what is stale is believed less, noted and asked about, once; when it holds again it is as before", async () => {
    const facts = await openFacts(await create())
    const id = await facts.add("Parsing is done in src/a.ts")
    facts.repository.git("mv", "src/a.ts", "src/parse.ts")
    facts.repository.commit()
    const report = await facts.garden()
    const note = "The file src/a.ts is src/parse.ts now."
    expect(report.open).toMatchObject([{ kind: "stale", memories: [{ id }], note }])
    const stale = await facts.get(id)
    expect(stale).toMatchObject({
      status: "active",
      confidence: 0.4,
      details: { outdated: { notes: [note] } },
    })
    expect(whySentences(await whyBelieved(facts, id)).join(" ")).toContain(`since 2026-01-01: ${note}`)
    facts.repository.commit({ "other.ts": "x" })
    const again = await facts.garden()
    expect(again.deeds).toEqual([])
    expect(again.open).toHaveLength(1)
    expect(await facts.get(id)).toEqual(stale)
    facts.repository.git("mv", "src/parse.ts", "src/a.ts")
    facts.repository.commit()
    const last = await facts.garden()
    expect(last.open).toEqual([])
    expect(await facts.get(id)).toMatchObject({ confidence: 0.8, details: {} })
    expect((await facts.get(id)).details).not.toHaveProperty("outdated")
  })

  test("a bare version is replaced by the present one, unless it is trusted more than an observation", async () => {
    const facts = await openFacts(await create())
    const old = await facts.add("The project uses React 18.")
    const stated = await facts.add("We are on React 18", { source: "user-stated" })
    const corrected = await facts.add("React version is 18", { source: "user-corrected", confidence: 1 })
    facts.repository.commit({ "package.json": facts.packageJson("^19.0.0") })
    const report = await facts.garden()
    const replaced = await facts.get(old)
    expect(replaced.status).toBe("superseded")
    const now = await facts.get(replaced.supersededBy ?? "")
    expect(now).toMatchObject({
      content: "The project uses React 19.",
      source: "observed",
      trust: 0.7,
      confidence: 1,
    })
    expect(await facts.get(stated)).toMatchObject({ status: "active", confidence: 0.4 })
    expect(await facts.get(corrected)).toMatchObject({ status: "active", confidence: 1 })
    expect(report.open.map(({ memories }) => memories[0]?.id).sort()).toEqual([stated, corrected].sort())
    expect((await facts.garden()).deeds).toEqual([])
  })

  test("undoing brings the exact graph back, and the same finding is not made again", async () => {
    const facts = await openFacts(await create())
    const version = await facts.add("The project uses React 18.")
    const path = await facts.add("Parsing is done in src/a.ts")
    await facts.add("The other half is in src/b.ts")
    await facts.clock.advance(20 * dayMs)
    const before = graphOf(await facts.export())
    facts.repository.git("rm", "src/a.ts")
    facts.repository.commit({ "package.json": facts.packageJson("^19.0.0") })
    const report = await facts.garden()
    expect(report.deeds).toMatchObject([{ changed: 4, lost: 1 }])
    const exported = await facts.export()
    for (const { operation } of report.deeds.toReversed()) await undo(facts, facts.by(), operation)
    expect(graphOf(await facts.export())).toEqual(before)
    facts.repository.commit({ "other.ts": "x" })
    await facts.garden()
    expect((await facts.get(path)).details).toEqual({})
    expect(await facts.get(version)).toMatchObject({ status: "active", details: {} })
    expect(exported).toContain('"outdated":{"at":"2026-01-21')
  })

  test("an export with what is outdated comes back the same", async () => {
    const facts = await openFacts(await create())
    await facts.add("Parsing is done in src/a.ts")
    facts.repository.git("rm", "src/a.ts")
    facts.repository.commit()
    await facts.garden()
    const exported = await facts.export()
    const other = await openMemoryWorld(await create())
    await other.import(exported, true)
    expect(graphOf(await other.export())).toEqual(graphOf(exported))
  })

  test("a new text takes the note away", async () => {
    const facts = await openFacts(await create())
    const id = await facts.add("Parsing is done in src/a.ts")
    facts.repository.git("rm", "src/a.ts")
    facts.repository.commit()
    await facts.garden()
    await editMemory(facts, id, { content: "Parsing is done in src/b.ts" }, facts.by())
    expect((await facts.get(id)).details).toEqual({})
  })

  test("caps hold, and the next pass goes on where the last stopped", async () => {
    const facts = await openFacts(await create())
    const ids: string[] = []
    for (let index = 0; index < 7; index += 1)
      ids.push(await facts.add(`Part ${index} is done in src/a.ts`, { verbatim: true }))
    facts.repository.git("rm", "src/a.ts")
    facts.repository.commit()
    const seen: number[] = []
    for (let pass = 0; pass < 5; pass += 1) {
      const report = await facts.garden({ limit: 3 })
      seen.push(report.deeds.reduce((sum, { changed }) => sum + changed, 0))
      if (report.isDone) break
    }
    expect(seen).toEqual([3, 3, 1])
    for (const id of ids) expect((await facts.get(id)).details.outdated).toBeDefined()
    const entries = await readJournal(facts.db, { kind: "memory.outdated" })
    expect(new Set(entries.map(({ subject }) => subject)).size).toBe(7)
    expect(entries.every(({ actor }) => actor === "ambient")).toBe(true)
  })

  test("more questions to the history than one pass allows are answered by the next", async () => {
    const facts = await openFacts(await create())
    const names = Array.from({ length: 45 }, (_, index) => `oldThing${index}`)
    facts.repository.commit({ "src/old.ts": names.map((name) => `export function ${name}() {}`).join("\n") })
    facts.repository.commit({ "src/old.ts": "nothing" })
    for (const name of names) await facts.add(`\`${name}()\` does it`, { verbatim: true })
    const found = async () => (await readJournal(facts.db, { kind: "memory.outdated" })).length
    expect((await facts.garden()).isDone).toBe(false)
    expect(await found()).toBe(40)
    expect((await facts.garden()).isDone).toBe(true)
    expect(await found()).toBe(45)
  })

  test("nothing goes out of sight where none may", async () => {
    const facts = await openFacts(await create())
    const id = await facts.add("The project uses React 18.")
    facts.repository.commit({ "package.json": facts.packageJson("^19.0.0") })
    expect(await facts.garden({ lossLimit: 0 })).toMatchObject({ deeds: [], isDone: false })
    expect((await facts.get(id)).status).toBe("active")
    await facts.garden()
    expect((await facts.get(id)).status).toBe("superseded")
  })

  test("a pass that is called off at any point leaves each memory as it was or noted, and the next one ends it", async () => {
    const facts = await openFacts(await create())
    const ids: string[] = []
    for (let index = 0; index < 3; index += 1)
      ids.push(await facts.add(`Part ${index} is done in src/a.ts`, { verbatim: true }))
    facts.repository.git("rm", "src/a.ts")
    facts.repository.commit()
    for (let turns = 0; turns < 12; turns += 1) {
      const calling = new AbortController()
      const pass = facts.garden({ limit: 1, signal: calling.signal })
      for (let turn = 0; turn < turns * 20; turn += 1) await new Promise(setImmediate)
      calling.abort()
      await pass
      for (const id of ids) expect([0.8, 0.4]).toContain((await facts.get(id)).confidence)
    }
    await facts.garden()
    for (const id of ids) expect((await facts.get(id)).confidence).toBe(0.4)
    expect(await readJournal(facts.db, { kind: "memory.outdated" })).toHaveLength(3)
  })

  test("new memories are looked at without new commits; global ones and those of other places never", async () => {
    const facts = await openFacts(await create())
    facts.repository.git("rm", "src/a.ts")
    facts.repository.commit()
    await facts.garden()
    const own = await facts.add("Parsing is done in src/a.ts")
    const { id: everywhere } = (await facts.remember("Printing is done in src/a.ts")) as { id: string }
    const elsewhere = await facts.add("Sorting is done in src/a.ts", { project: "another" })
    await facts.garden()
    expect((await facts.get(own)).details.outdated).toBeDefined()
    expect((await facts.get(everywhere)).details.outdated).toBeUndefined()
    expect((await facts.get(elsewhere)).details.outdated).toBeUndefined()
  })

  test("a repository that is gone leaves its memories as they are", async () => {
    const facts = await openFacts(await create())
    const id = await facts.add("Parsing is done in src/a.ts")
    const before = await facts.get(id)
    rmSync(facts.repository.root, { recursive: true })
    await facts.clock.advance(40 * dayMs)
    expect(await facts.garden()).toMatchObject({ deeds: [], isDone: true, warnings: [] })
    expect(await facts.get(id)).toEqual(before)
  })
})
