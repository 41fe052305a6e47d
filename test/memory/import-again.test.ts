import { expect, test } from "vitest"
import { purgeMemories } from "../../src/activities/purge.ts"
import { importText } from "../../src/memory/transfer/import.ts"
import { editMemory } from "../../src/memory/write/change/edit.ts"
import { forget } from "../../src/memory/write/change/forget-restore.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { graphOf, type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const lines = [
  { content: "The build uses make", sourceId: "1" },
  { content: "The docs live in the docs folder", sourceId: "2" },
  { content: "The server listens on port 8001" },
  { content: "The server listens on port 8002" },
  { content: "Ada reviews the parser" },
  { content: "Ada reviews the parser" },
]
const text = lines.map((line) => JSON.stringify(line)).join("\n")

async function memories(world: MemoryWorld) {
  return graphOf(await world.export()).memories
}

async function idOf(world: MemoryWorld, content: string): Promise<string> {
  return (await memories(world)).find((memory) => memory.content === content)?.id ?? ""
}

const nothingNew = { saved: 0, reinforced: 0, superseded: 0, conflicts: 0, refused: 0, failed: 0 }

describeDatabases("Importing JSON Lines again", (create) => {
  const open = async (seed = 1) => openMemoryWorld(await create(), seed)

  test("changes nothing, whatever became of what came in", async () => {
    const world = await open()
    expect(await world.import(text)).toMatchObject({ saved: 4, superseded: 1, reinforced: 1, unchanged: 0 })
    const made = await idOf(world, "The build uses make")
    await world.act((needs, by) => forget(needs, [made], by))
    const docs = await idOf(world, "The docs live in the docs folder")
    await world.act((needs, by) => editMemory(needs, docs, { content: "The docs are a wiki" }, by))
    const before = graphOf(await world.export())
    for (const verbatim of [false, true, false]) {
      expect(await world.import(text, verbatim)).toMatchObject({ ...nothingNew, unchanged: 6 })
    }
    expect(graphOf(await world.export())).toEqual(before)
  })

  test("adds nothing to what was stored as it is, though a file may say a thing twice", async () => {
    const world = await open()
    expect(await world.import(text, true)).toMatchObject({ saved: 6, unchanged: 0 })
    expect(await world.import(text, true)).toMatchObject({ ...nothingNew, unchanged: 6 })
    expect(await memories(world)).toHaveLength(6)
  })

  test("takes a text that its source told anew, and one that another source counts alike", async () => {
    const world = await open()
    await world.import(text)
    const other = { content: "Releases happen on Tuesdays", sourceId: "1" }
    expect(await world.import(JSON.stringify(other))).toMatchObject({ saved: 1, unchanged: 0 })
    const elsewhere = { ...other, project: "elsewhere" }
    expect(await world.import(JSON.stringify(elsewhere))).toMatchObject({ saved: 1, unchanged: 0 })
  })

  test("brings back what was undone or purged, and only that", async () => {
    const world = await open()
    await world.import(text)
    await world.undo()
    expect(await world.import(text)).toMatchObject({ saved: 4, superseded: 1, reinforced: 1 })
    const made = await idOf(world, "The build uses make")
    await world.act((needs, by) => purgeMemories(needs, { ids: [made] }, by))
    expect(await world.import(text)).toMatchObject({ saved: 1, reinforced: 0, unchanged: 5 })
  })

  test("is known in a store that an export was put back into, too", async () => {
    const world = await open()
    await world.import(text)
    const made = await idOf(world, "The build uses make")
    await world.act((needs, by) => forget(needs, [made], by))
    const other = await open(2)
    await other.import(await world.export())
    expect(await other.export()).toBe(await world.export())
    expect(await other.import(text)).toMatchObject({ ...nothingNew, unchanged: 6 })
  })

  test("goes on where it broke off", async () => {
    const world = await open()
    const many = Array.from(
      { length: 700 },
      (_, index) => `{"content":"number ${index}","sourceId":"n${index}"}`,
    )
    async function* breakingOff() {
      yield* many.slice(0, 650)
      throw new Error("the cable came loose")
    }
    const broken = importText(world, breakingOff(), world.by(), { verbatim: true })
    await expect(broken).rejects.toThrow("the cable came loose")
    const { length } = await memories(world)
    expect(length).toBeGreaterThan(0)
    expect(length).toBeLessThan(700)
    const rest = { saved: 700 - length, unchanged: length }
    expect(await world.import(many.join("\n"), true)).toMatchObject(rest)
    expect(await memories(world)).toHaveLength(700)
  })

  test("leaves what a relation was merged into as strong as it was, though something else was refused", async () => {
    const world = await open()
    const graph = [
      { type: "entity", name: "Anna", entityType: "person", observations: ["owns billing", "\u0001\u0002"] },
      { type: "entity", name: "Anna owns", entityType: "phrase", observations: [] },
      { type: "relation", from: "Anna", to: "billing", relationType: "owns" },
      { type: "relation", from: "Anna", to: "billing", relationType: "owns " },
    ]
    const file = [...graph.map((one) => JSON.stringify(one)), '{"type":"other"}'].join("\n")
    const first = await world.import(file)
    expect(first.reinforced).toBeGreaterThan(0)
    const before = graphOf(await world.export())
    const again = await world.import(file)
    expect(again).toMatchObject({ saved: 0, reinforced: 0, failed: 1 })
    expect(graphOf(await world.export())).toEqual(before)
  })
})

describeDatabases("What comes in", (create) => {
  const open = async (seed = 1) => openMemoryWorld(await create(), seed)

  test("with a time that is yet to come counts as of now, in every format, and it is said", async () => {
    const world = await open()
    const now = new Date(world.clock.now()).toISOString()
    const tally = await world.import('{"content":"from the future","createdAt":"2999-01-01T00:00:00Z"}')
    expect(tally).toMatchObject({ saved: 1, failed: 0 })
    expect(tally.problems).toEqual(["line 1 has a time in the future, which is ignored"])
    const [memory] = await memories(world)
    expect((memory?.createdAt ?? "").slice(0, 13)).toBe(now.slice(0, 13))
    const forged = (await world.export()).replaceAll(memory?.createdAt ?? "", "2999-01-01T00:00:00.000Z")
    const other = await open(2)
    expect((await other.import(forged)).problems).toEqual([expect.stringMatching(/in the future/)])
    expect((await memories(other))[0]?.createdAt.slice(0, 4)).toBe(now.slice(0, 4))
  })

  test("and cannot be read is refused in a sentence", async () => {
    const world = await open()
    const reason = "it is not readable text"
    for (const content of ["\u0001\u0002\u001b", "\ufffd\ufffd \ufffd", "\u200b\u2060", "\u0085\u00a0"]) {
      expect(await world.remember(content), JSON.stringify(content)).toMatchObject({ outcome: "refused" })
    }
    expect(await world.remember("\u0001")).toEqual({ outcome: "refused", reason })
    expect(await world.remember("👍🏽")).toMatchObject({ outcome: "saved" })
    const tally = await world.import('{"content":"\\u0001"}')
    expect(tally).toMatchObject({ refused: 1, problems: [`line 1 was refused: ${reason}`] })
  })

  test("and is no memory is named in words, not as a schema sees it", async () => {
    const world = await open()
    const wrong: [string, string][] = [
      ["[1]", 'it is no object such as { "content": "…" }'],
      ['"text"', 'it is no object such as { "content": "…" }'],
      ['{"content":5}', "the content must be a text, not 5"],
      ['{"text":"x"}', "the content is missing"],
      ['{"content":"x","scope":"moon"}', 'the scope must be one of global, project, session, not "moon"'],
      ['{"content":"x","tags":"a"}', '`tags` must be a list, not "a"'],
      ['{"content":"x","confidence":2}', "the confidence is too big: at most 1"],
      [
        '{"content":"x","createdAt":"soon"}',
        '`createdAt` must be a time such as 2026-11-18T12:00:00Z, not "soon"',
      ],
    ]
    for (const [line, reason] of wrong) {
      const { problems } = await world.import(line, false, { format: "jsonl" })
      expect(problems, line).toEqual([`line 1 cannot be used: ${reason}`])
    }
  })
})
