import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { configSchema } from "../../src/config/schema.ts"
import { importText } from "../../src/memory/transfer/import.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { describeDatabases, otherKind } from "../../testkit/setup/databases.ts"
import { graphOf, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

describeDatabases("Memory", (create) => {
  const open = async () => openMemoryWorld(await create())

  describe("remembering", () => {
    test("what is told can be found, with its journal entry in the same transaction", async () => {
      const world = await open()
      const told = await world.remember("The staging database runs on port 5433", {
        tags: ["#Infra", "infra"],
      })
      expect(told).toMatchObject({ outcome: "saved" })
      expect(await world.find("staging port")).toEqual(["The staging database runs on port 5433"])
      const entries = await readJournal(world.db, { kind: "memory." })
      expect(entries).toMatchObject([
        { kind: "memory.saved", data: { before: null, after: { tags: ["infra"] } } },
      ])
    })

    test("the same text again makes the memory stronger instead of doubling it", async () => {
      const world = await open()
      const first = await world.remember("We use pnpm.", { tags: ["tools"] })
      const second = await world.remember("  we use   PNPM ", { tags: ["node"] })
      expect(second).toMatchObject({ outcome: "reinforced", id: first.outcome === "saved" ? first.id : "" })
      expect(JSON.parse(await world.export()).memories).toMatchObject([
        { strength: 2, tags: ["node", "tools"] },
      ])
    })

    test("the same text of another type, project or session is another memory", async () => {
      const world = await open()
      const given = [
        {},
        { type: "preference" as const },
        { project: "alpha" },
        { project: "beta" },
        { scope: "session" as const, sessionId: "s1" },
        { scope: "session" as const, sessionId: "s2" },
      ]
      for (const one of given)
        expect(await world.remember("Use tabs", one)).toMatchObject({ outcome: "saved" })
    })

    test("the same operation sent twice is done once and gives the same answer", async () => {
      const world = await open()
      const act = world.by()
      const first = await world.remember("Only once", {}, act)
      expect(await world.remember("Only once", {}, act)).toEqual(first)
      expect(JSON.parse(await world.export()).memories).toMatchObject([{ strength: 1 }])
    })

    test("an operation that was used for something else is refused, so that nothing is dropped", async () => {
      const world = await open()
      const act = world.by()
      await world.remember("first text", {}, act)
      await expect(world.remember("second text", {}, act)).rejects.toThrow("used before for something else")
      const undone = await world.undo()
      await expect(world.remember("third text", {}, { ...act, operation: undone.operation })).rejects.toThrow(
        "used before",
      )
    })

    test("empty and over-long texts are refused with a reason, and NUL and broken characters do no harm", async () => {
      const world = await open()
      expect(await world.remember(" \u0000 ")).toMatchObject({
        outcome: "refused",
        reason: expect.stringMatching(/no text/),
      })
      const long = await world.remember("x ".repeat(500_001))
      expect(long).toMatchObject({
        outcome: "refused",
        reason: expect.stringMatching(/memory.longest_text.*20000/),
      })
      expect(await world.remember("half \ud83d surrogate\u0000 text")).toMatchObject({ outcome: "saved" })
    })
  })

  describe("scopes", () => {
    test("a project's memories are seen from that project only, a session's from that session only", async () => {
      const world = await open()
      await world.remember("rule one")
      await world.remember("rule two", { project: "alpha" })
      await world.remember("rule three", { project: "beta" })
      await world.remember("rule four", { scope: "session", sessionId: "s1" })
      expect(await world.find("rule")).toEqual(["rule one"])
      expect((await world.find("rule", { project: "alpha" })).sort()).toEqual(["rule one", "rule two"])
      expect((await world.find("rule", { session: "s1" })).sort()).toEqual(["rule four", "rule one"])
      expect((await world.find("rule", { allProjects: true })).sort()).toEqual([
        "rule one",
        "rule three",
        "rule two",
      ])
    })

    test("a project switches memory off for itself, and lowers the longest text", async () => {
      const world = await open()
      const folder = throwawayFolder()
      mkdirSync(join(folder, ".reverie"))
      writeFileSync(join(folder, ".reverie/config.toml"), "[memory]\nlongest_text = 100\n")
      expect(await world.remember("y".repeat(101), { project: folder })).toMatchObject({
        outcome: "saved",
        parts: [expect.any(String), expect.any(String)],
      })
      expect(await world.remember("fits here", { project: folder })).toMatchObject({ outcome: "saved" })
      writeFileSync(join(folder, ".reverie/config.toml"), "[memory]\nenabled = false\n")
      expect(await world.remember("not here", { project: folder })).toMatchObject({ outcome: "refused" })
      expect(await world.find("fits", { project: folder })).toEqual([])
    })
  })

  describe("undo", () => {
    test("it takes back the last change, then the one before, then says that there is nothing left", async () => {
      const world = await open()
      await world.remember("first")
      await world.remember("second")
      expect(await world.undo()).toMatchObject({ summary: "second", changes: 1 })
      expect(await world.find("first second")).toEqual(["first"])
      await world.undo()
      expect(await world.find("first second")).toEqual([])
      await expect(world.undo()).rejects.toThrow("There is nothing to undo.")
    })

    test("an undo can itself be undone, exactly", async () => {
      const world = await open()
      await world.remember("kept after all", { tags: ["a", "b"], project: "alpha" })
      const before = graphOf(await world.export())
      const undone = await world.undo()
      expect(graphOf(await world.export())).toMatchObject({ memories: [] })
      await world.undo(undone.operation)
      expect(graphOf(await world.export())).toEqual(before)
    })

    test("it refuses to lose a newer change, and names the operation in the way", async () => {
      const world = await open()
      const first = world.by()
      await world.remember("said once", {}, first)
      const second = world.by()
      await world.remember("said once", {}, second)
      await expect(world.undo(first.operation)).rejects.toThrow(
        new RegExp(`${second.operation}; undo that first`),
      )
      await world.undo(second.operation)
      await world.undo(first.operation)
      expect(await world.find("said")).toEqual([])
    })

    test("what is undone, unknown or sent twice is answered clearly", async () => {
      const world = await open()
      const act = world.by()
      await world.remember("something", {}, act)
      const again = world.by()
      const undone = await world.undo(act.operation, again)
      expect(await world.undo(act.operation, again)).toEqual(undone)
      await expect(world.undo(act.operation)).rejects.toThrow("is already undone")
      await expect(world.undo("op_unknown0")).rejects.toThrow("There is no operation op_unknown0")
    })
  })

  describe("moving in and out", () => {
    test("export, import into an empty store and export again gives the same bytes", async () => {
      const world = await open()
      await world.remember("Everywhere", {
        tags: ["x", "y"],
        sourceId: "s-1",
        sessionId: "t",
        messageIndex: 3,
      })
      await world.remember('In a project — é 日本 "quoted"\nnext line', {
        project: "alpha",
        type: "procedure",
      })
      await world.remember("Everywhere")
      await world.remember("Taken back")
      await world.undo()
      const exported = await world.export()
      const other = await openMemoryWorld(await create(), 2)
      expect(await other.import(exported)).toMatchObject({ saved: 2, failed: 0, unchanged: 0 })
      expect(await other.export()).toBe(exported)
      expect(await other.find("everywhere")).toEqual(["Everywhere"])
      expect(await other.import(exported)).toMatchObject({ saved: 0, unchanged: 2 })
      expect(await other.export()).toBe(exported)
      await other.undo()
      expect(JSON.parse(await other.export()).memories).toEqual([])
      await expect(other.undo()).rejects.toThrow("There is nothing to undo.")
      const onOneLine = JSON.stringify(JSON.parse(exported))
      expect(await other.import(onOneLine)).toMatchObject({ saved: 2, failed: 0 })
    })

    test("a store can move from one kind of database to the other without a difference", async () => {
      const world = await open()
      for (const tag of ["zeta", "Äpfel", "alpha", "émile", "ß", "日本", "a-b", "a_b"]) {
        await world.remember(`tagged ${tag}`, { tags: [tag, "common"], project: tag })
      }
      const exported = await world.export()
      const other = await openMemoryWorld(await otherKind(world.db.kind), 3)
      await other.import(exported)
      expect(await other.export()).toBe(exported)
    })

    test("of JSON Lines the good ones are kept and the bad ones are counted and named", async () => {
      const world = await open()
      const lines = [
        '{"content":"good","type":"preference","tags":["t"],"createdAt":"2024-05-06T07:08:09Z","sourceId":"D1:3"}',
        "not json",
        '{"content":7}',
        '{"content":"  "}',
        "",
        '{"content":"good","type":"preference"}',
        '{"content":"dated","createdAt":"someday"}',
      ]
      const tally = await world.import(lines.join("\r\n"))
      expect(tally).toMatchObject({ saved: 1, reinforced: 1, refused: 1, failed: 3 })
      expect(tally.problems).toHaveLength(4)
      expect(tally.problems[0]).toMatch(/^line 2 cannot be used/)
      const [memory] = JSON.parse(await world.export()).memories
      expect(memory).toMatchObject({ createdAt: "2024-05-06T07:08:09.000Z", sourceId: "D1:3", tags: ["t"] })
    })

    test("lines that only one database could keep are named, not stumbled over", async () => {
      const world = await open()
      const lines = [
        { content: "too late", createdAt: 9e15 },
        { content: "microseconds", createdAt: 1.7e15 },
        { content: "far down", messageIndex: 2 ** 40 },
        { content: "with NUL", sourceId: "a\u0000b", sessionId: "s\u0000" },
        { content: "fine" },
      ]
      const tally = await world.import(lines.map((line) => JSON.stringify(line)).join("\n"))
      expect(tally).toMatchObject({ saved: 2, failed: 3 })
      const [first] = JSON.parse(await world.export()).memories
      expect(first).toMatchObject({ sourceId: "ab", sessionId: "s" })
    })

    test("an export that misses a project or holds nonsense keeps its good parts", async () => {
      const world = await open()
      await world.remember("good", { project: "alpha" })
      await world.remember("bad", { project: "beta" })
      const exported = JSON.parse(await world.export())
      exported.projects = exported.projects.filter((project: { name: string }) => project.name === "alpha")
      exported.memories.push({ id: "m_x", nonsense: true })
      const other = await openMemoryWorld(await create(), 2)
      expect(await other.import(JSON.stringify(exported))).toMatchObject({ saved: 1, failed: 2 })
    })

    test("nothing comes in while memory is switched off, and an import sent twice is done once", async () => {
      const world = await open()
      const off = { ...world, config: configSchema.parse({ memory: { enabled: false } }) }
      const lines = async function* () {
        yield '{"content":"once"}'
      }
      await expect(importText(off, lines(), world.by(), { verbatim: true })).rejects.toThrow("switched off")
      const act = world.by()
      const first = await importText(world, lines(), act, { verbatim: true })
      expect(await importText(world, lines(), act, { verbatim: true })).toEqual(first)
      expect(JSON.parse(await world.export()).memories).toHaveLength(1)
    })

    test("verbatim keeps every line apart", async () => {
      const world = await open()
      const tally = await world.import('{"content":"same"}\n{"content":"same"}\n', true)
      expect(tally).toMatchObject({ saved: 2, reinforced: 0 })
    })

    test("a broken or foreign export is refused whole, and nothing is changed", async () => {
      const world = await open()
      for (const text of [
        "{\n",
        '{\n"format": "other"\n}',
        '{\n"format": "reverie-memory", "schemaVersion": 2\n}',
      ]) {
        await expect(world.import(text), text).rejects.toThrow(
          /reverie memory export|newer version of Reverie/,
        )
      }
      expect(await readJournal(world.db, {})).toEqual([])
    })
  })
})
