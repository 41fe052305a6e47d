import { expect, test } from "vitest"
import { purgeMemories } from "../../src/activities/purge.ts"
import { requireMemory } from "../../src/memory/model/store/browse.ts"
import { editMemory, editSchema } from "../../src/memory/write/change/edit.ts"
import { forget, restore } from "../../src/memory/write/change/forget-restore.ts"
import { emptyTally } from "../../src/memory/write/import-run.ts"
import type { Remembered } from "../../src/memory/write/remember.ts"
import { rememberAll } from "../../src/memory/write/remember-all.ts"
import type { LineOutcome } from "../../src/memory/write/write-lines.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

describeDatabases("A text that is given again under its sourceId", (create) => {
  test("changes the memory that it became, with its history", async () => {
    const world = await openMemoryWorld(await create())
    const first = idOf(await world.remember("The office is in Lyon", { sourceId: "doc-1", tags: ["office"] }))
    const act = world.by()
    const again = await world.remember("The office is in Marseille now", { sourceId: "doc-1" }, act)
    expect(again).toEqual({ outcome: "updated", id: first })
    expect(await world.remember("The office is in Marseille now", { sourceId: "doc-1" }, act)).toEqual(again)
    expect(await requireMemory(world.db, first)).toMatchObject({
      content: "The office is in Marseille now",
      sourceId: "doc-1",
      tags: ["office"],
      version: 2,
    })
    expect(await world.find("office")).toEqual(["The office is in Marseille now"])
    const entries = await readJournal(world.db, { subject: first, kind: "memory.", limit: 10 })
    expect(entries.map(({ kind }) => kind)).toEqual(["memory.saved", "memory.edited"])
    await world.undo(act.operation)
    expect(await world.find("office")).toEqual(["The office is in Lyon"])
  })

  test("changes nothing if it says the same, also where a person has corrected the memory since", async () => {
    const world = await openMemoryWorld(await create())
    const id = idOf(await world.remember("The office is in Lyon", { sourceId: "doc-1" }))
    expect(await world.remember("The office is in Lyon", { sourceId: "doc-1" })).toEqual({
      outcome: "unchanged",
      id,
    })
    const edit = editSchema.parse({ content: "The office is in Nice" })
    await world.act((needs, by) => editMemory(needs, id, edit, { ...by, actor: "person" }))
    await world.remember("The office is in Lyon", { sourceId: "doc-1" })
    expect(await requireMemory(world.db, id)).toMatchObject({
      content: "The office is in Nice",
      version: 2,
      strength: 1,
    })
    await world.remember("The office is in Paris", { sourceId: "doc-1" })
    expect(await requireMemory(world.db, id)).toMatchObject({ content: "The office is in Paris" })
  })

  test("is another text for another actor, project, session or audience", async () => {
    const world = await openMemoryWorld(await create())
    const sourceId = "1"
    const ids = [
      await world.remember("Anna likes tea", { sourceId }),
      await world.remember("Ben likes coffee", { sourceId }, { ...world.by(), actor: "other" }),
      await world.remember("Carla likes cocoa", { sourceId, project: "somewhere" }),
      await world.remember("Dora likes water", { sourceId, sessionId: "s2" }),
      await world.remember("Emil likes juice", { sourceId, audience: "family" }),
    ].map(idOf)
    expect(new Set(ids).size).toBe(5)
  })

  test("brings nothing back that a person has forgotten, and comes anew after a purge", async () => {
    const world = await openMemoryWorld(await create())
    const id = idOf(await world.remember("The office is in Lyon", { sourceId: "doc-1" }))
    await world.act((needs, by) => forget(needs, [id], by))
    expect(await world.remember("The office is in Lyon", { sourceId: "doc-1" })).toEqual({
      outcome: "unchanged",
      id,
    })
    expect(await world.remember("The office is in Rome", { sourceId: "doc-1" })).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("was forgotten; restore it with"),
    })
    await world.act((needs, by) => purgeMemories(needs, { ids: [id] }, by))
    expect(await world.remember("The office is in Rome", { sourceId: "doc-1" })).toMatchObject({
      outcome: "saved",
    })
  })

  test("does not change what somebody else said, where the two were merged", async () => {
    const world = await openMemoryWorld(await create())
    const theirs = idOf(await world.remember("The office is in Lyon"))
    const merged = await world.remember("The office is in Lyon.", { sourceId: "doc-1" })
    expect(merged).toMatchObject({ outcome: "reinforced", id: theirs })
    await world.remember("Lunch is served in the courtyard", { sourceId: "doc-1" })
    expect((await world.find("office"))[0]).toBe("The office is in Lyon")
    expect((await world.find("courtyard lunch"))[0]).toBe("Lunch is served in the courtyard")
  })

  test("many tell line by line what became of them, in order", async () => {
    const world = await openMemoryWorld(await create())
    const known = idOf(await world.remember("The gate opens at six", { sourceId: "b" }))
    const { outcomes, tally } = await all(world, [
      { content: "Deploys run from main", sourceId: "a" },
      { content: "The gate opens at seven", sourceId: "b" },
      { content: " ", sourceId: "c" },
      { content: 7, sourceId: "d" },
      { content: "Deploys run from trunk", sourceId: "a" },
      { content: "Deploys run from trunk", sourceId: "a" },
      { content: "Nothing names me" },
    ])
    expect(outcomes.map(({ line, outcome, sourceId }) => [line, outcome, sourceId])).toEqual([
      [1, "saved", "a"],
      [2, "updated", "b"],
      [3, "refused", "c"],
      [4, "failed", "d"],
      [5, "updated", "a"],
      [6, "unchanged", "a"],
      [7, "saved", undefined],
    ])
    expect(outcomes[1]?.id).toBe(known)
    expect(outcomes[4]?.id).toBe(outcomes[0]?.id)
    expect(tally).toMatchObject({ saved: 2, updated: 2, unchanged: 1, refused: 1, failed: 1 })
    expect(await world.find("deploys run")).toEqual(["Deploys run from trunk"])
  })
})

const longest = 200
const config = { memory: { longest_text: longest } }
const paragraph = (word: string) =>
  `The ${word} chapter. ${"It tells of many things at length. ".repeat(4)}`.trim()
const book = (...words: string[]) => words.map(paragraph).join("\n\n")

describeDatabases("A text that is too long for one memory", (create) => {
  test("is kept in parts that are linked, and found one by one", async () => {
    const world = await openMemoryWorld(await create(), 1, { config })
    const act = world.by()
    const saved = await world.remember(book("walrus", "giraffe", "penguin"), { sourceId: "book" }, act)
    expect(saved).toMatchObject({ outcome: "saved", reason: expect.stringContaining("saved in 3 parts") })
    if (saved.outcome !== "saved") throw new Error("not saved")
    const { parts = [] } = saved
    expect(parts).toHaveLength(3)
    expect(parts[0]).toBe(saved.id)
    const memories = await Promise.all(parts.map((id) => requireMemory(world.db, id)))
    expect(memories.map(({ content }) => content)).toEqual(["walrus", "giraffe", "penguin"].map(paragraph))
    expect(memories.map(({ sourceId, details }) => [sourceId, details.part])).toEqual(
      [1, 2, 3].map((number) => ["book", { number, of: 3 }]),
    )
    expect((await world.find("giraffe"))[0]).toBe(paragraph("giraffe"))
    expect(
      await world.remember(book("walrus", "giraffe", "penguin"), { sourceId: "book" }, act),
    ).toMatchObject({
      outcome: "saved",
      parts,
    })
    await world.undo(act.operation)
    expect(await contents(world)).toEqual([])
  })

  test("is known when it comes again, with a sourceId or without", async () => {
    const world = await openMemoryWorld(await create(), 1, { config })
    const first = await world.remember(book("walrus", "giraffe"))
    const again = await world.remember(book("walrus", "giraffe"))
    expect(again).toMatchObject({ outcome: "unchanged", id: idOf(first) })
    expect(await contents(world)).toHaveLength(2)
  })

  test("is updated part for part: changed ones are edited, new ones added, surplus ones replaced", async () => {
    const world = await openMemoryWorld(await create(), 1, { config })
    const first = await world.remember(book("walrus", "giraffe", "penguin"), { sourceId: "book" })
    const longer = await world.remember(book("walrus", "zebra", "penguin", "lobster"), { sourceId: "book" })
    expect(longer).toMatchObject({ outcome: "updated", id: idOf(first) })
    expect(await contents(world)).toEqual(["walrus", "zebra", "penguin", "lobster"].map(paragraph))
    const act = world.by()
    await world.remember("The book is out of print.", { sourceId: "book" }, act)
    expect(await contents(world)).toEqual(["The book is out of print."])
    await world.undo(act.operation)
    expect((await contents(world)).toSorted()).toEqual(
      ["walrus", "zebra", "penguin", "lobster"].map(paragraph).toSorted(),
    )
    await world.remember(book("otter", "badger"), { sourceId: "book" })
    expect(await contents(world)).toEqual(["otter", "badger"].map(paragraph))
  })

  test("is forgotten, brought back and purged as a whole", async () => {
    const world = await openMemoryWorld(await create(), 1, { config })
    const saved = await world.remember(book("walrus", "giraffe", "penguin"))
    const second = "parts" in saved ? (saved.parts?.[1] ?? "") : ""
    await world.act((needs, by) => forget(needs, [second], by))
    expect(await contents(world)).toEqual([])
    await world.act((needs, by) => restore(needs, [second], by))
    expect(await contents(world)).toHaveLength(3)
    await world.act((needs, by) => purgeMemories(needs, { ids: [second] }, by))
    expect(await world.db.read(sql`select id from memories`)).toEqual([])
  })

  test("comes in by import too, and its parts go with an export", async () => {
    const world = await openMemoryWorld(await create(), 1, { config })
    const tally = await world.import(JSON.stringify({ content: book("walrus", "giraffe") }))
    expect(tally).toMatchObject({ saved: 1, refused: 0, problems: [] })
    const other = await openMemoryWorld(await create(), 1, { config })
    await other.import(await world.export())
    expect(await contents(other)).toEqual(["walrus", "giraffe"].map(paragraph))
    const [row] = await other.db.read<{ id: string }>(sql`select id from memories limit 1`)
    await other.act((needs, by) => forget(needs, [row?.id ?? ""], by))
    expect(await contents(other)).toEqual([])
  })

  test("is refused where it would have more than fifty parts, and is cut between words, never in a character", async () => {
    const world = await openMemoryWorld(await create(), 1, { config })
    expect(await world.remember("word ".repeat(longest * 30))).toMatchObject({
      outcome: "refused",
      reason: "it is longer than 50 parts of what memory.longest_text allows (200 characters)",
    })
    await world.remember("🦀".repeat(longest + 1))
    expect((await contents(world)).map((text) => [...text].length)).toEqual([longest, 1])
  })
})

function idOf(remembered: Remembered): string {
  if (remembered.outcome === "refused") throw new Error(remembered.reason)
  return remembered.id
}

async function contents(world: MemoryWorld): Promise<string[]> {
  const rows = await world.db.read<{ content: string }>(
    sql`select content from memories where status = 'active' order by seq`,
  )
  return rows.map(({ content }) => content)
}

async function all(world: MemoryWorld, lines: unknown[]) {
  const outcomes: LineOutcome[] = []
  const tally = emptyTally()
  async function* incoming() {
    for (const [place, value] of lines.entries()) yield { line: place + 1, read: () => value }
  }
  const options = { verbatim: false, updates: true, onOutcome: (one: LineOutcome) => void outcomes.push(one) }
  await world.act((needs, by) => rememberAll({ needs, by, tally, onProgress() {} }, incoming(), options))
  return { outcomes, tally }
}
