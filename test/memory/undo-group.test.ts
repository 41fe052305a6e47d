import { expect, test } from "vitest"
import { mergeDuplicates } from "../../src/memory/garden/merge-and-link.ts"
import { undoCycle } from "../../src/memory/history/undo-group.ts"
import { requireMemory } from "../../src/memory/model/store/browse.ts"
import { editMemory } from "../../src/memory/write/change/edit.ts"
import { pruneExpired } from "../../src/memory/write/change/fading.ts"
import { forget } from "../../src/memory/write/change/forget-restore.ts"
import { linkMemories } from "../../src/memory/write/change/link.ts"
import { tagMemories } from "../../src/memory/write/change/tag.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { describeDatabases, type TestDatabase } from "../../testkit/setup/databases.ts"
import { graphOf, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const cycle = "cycle_k3v0000000000000"

/** A memory in which a cycle did everything that a garden does; with the graph from before. */
async function tended(store: TestDatabase) {
  const world = await openMemoryWorld(store)
  const idOf = async (content: string, given = {}) => {
    const told = await world.remember(content, given)
    return "id" in told ? (told.id ?? "") : ""
  }
  const first = await idOf("The staging port is 5433", { tags: ["infra"] })
  const second = await idOf("Staging listens on 5433", { tags: ["net"] })
  const third = await idOf("Tides are told by the moon")
  await idOf("It rained on that day", { createdAt: Date.UTC(2019, 0, 1), type: "observation" })
  const before = graphOf(await world.export())
  const step = (number: number) => ({ operation: `${cycle}-${number}`, actor: "ambient" })
  const [keep, drop] = [await requireMemory(world.db, first), await requireMemory(world.db, second)]
  await mergeDuplicates(world, [{ keep, drop }], step(1))
  await tagMemories(world, { ids: [first], add: ["port"], remove: [] }, step(2))
  await linkMemories(world, { source: first, kind: "relates-to", target: third, weight: 0.5 }, step(3))
  const { memories: pruned } = await pruneExpired(world, { limit: 10 }, step(4))
  await editMemory(world, third, { content: "The moon makes the tides" }, step(5))
  await world.remember("A cycle learned this", {}, step(6))
  expect(pruned).toHaveLength(1)
  const after = graphOf(await world.export())
  const graph = async () => graphOf(await world.export())
  const undoIt = (by = world.by()) => world.act(() => undoCycle(world, by, cycle))
  return { ...world, before, after, graph, undoIt, ids: { first, second, third } }
}

describeDatabases("Undoing a cycle", (create) => {
  test("restores the exact graph, and one undo brings everything back", async () => {
    const { before, after, graph, undoIt, undo, db } = await tended(await create())
    const undone = await undoIt()
    expect(undone).toMatchObject({ undid: cycle, kept: [] })
    expect(undone.operations).toEqual([6, 5, 4, 3, 2, 1].map((number) => `${cycle}-${number}`))
    expect(await graph()).toEqual(before)
    expect(await readJournal(db, { subject: cycle, kind: "cycle.undone" })).toHaveLength(1)
    await undo(undone.operation)
    expect(await graph()).toEqual(after)
    await undoIt()
    expect(await graph()).toEqual(before)
  })

  test("is done once when it is sent twice, and refused when there is nothing left of it", async () => {
    const { undoIt, graph, before, by, act, db, clock } = await tended(await create())
    const same = by()
    expect(await undoIt(same)).toEqual(await undoIt(same))
    expect(await graph()).toEqual(before)
    await expect(undoIt()).rejects.toThrow("is already undone")
    await expect(act((_, other) => undoCycle({ db, clock }, other, "cycle_none"))).rejects.toThrow(
      "There is no cycle cycle_none that changed a memory",
    )
  })

  test("leaves out what was undone before, and keeps what something newer builds on", async () => {
    const { undoIt, undo, act, graph, before, ids } = await tended(await create())
    await undo(`${cycle}-4`)
    const mine = await act((needs, by) => editMemory(needs, ids.third, { content: "My own words" }, by))
    const undone = await undoIt()
    expect(undone.operations).toEqual([6, 3, 2, 1].map((number) => `${cycle}-${number}`))
    expect(undone.kept).toEqual([
      { operation: `${cycle}-5`, reason: expect.stringContaining(`${ids.third} was changed again since`) },
    ])
    expect((await graph()).memories.find(({ id }) => id === ids.third)?.content).toBe("My own words")
    await undo("operation" in mine ? mine.operation : "")
    await undoIt()
    expect(await graph()).toEqual(before)
  })

  test("takes a name: a plain undo means what the user did", async () => {
    const { undo } = await tended(await create())
    await expect(undo()).rejects.toThrow(`was changed again since, by ${cycle}-4`)
  })

  test("says why nothing can be taken back", async () => {
    const { undoIt, undo, act, ids } = await tended(await create())
    for (const number of [6, 4, 3]) await undo(`${cycle}-${number}`)
    await act((needs, by) => forget(needs, [ids.first, ids.third], by))
    await expect(undoIt()).rejects.toThrow(/Nothing of cycle_\w+ could be undone: m_\w+ was changed/)
  })
})
