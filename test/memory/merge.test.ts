import { describe, expect, it, test } from "vitest"
import { mergeDuplicates } from "../../src/memory/garden/merge-and-link.ts"
import type { Memory } from "../../src/memory/model/memory.ts"
import { selectEdges } from "../../src/memory/model/store/graph.ts"
import { selectMemories } from "../../src/memory/model/store/store.ts"
import { mergedText } from "../../src/memory/write/compare/merge.ts"
import { sql } from "../../src/storage/sql.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const text = (kept: string, dropped: string, longest?: number) =>
  mergedText({ content: kept } as Memory, { content: dropped } as Memory, longest)

describe("the text of what is merged", () => {
  test.each([
    ["a number", "Deploys go out on Fridays", "We ship on Friday at 16:30", "at 16:30"],
    ["a path", "The settings are read at the start", "Settings come from conf/app.toml", "conf/app.toml"],
    ["a reason", "Run the linter first", "Lint before pushing, because the build is slow", "because"],
    ["code", "Start the server with the script", "To start it call `make serve`", "`make serve`"],
  ])("keeps %s that only the dropped one had", (_, kept, dropped, detail) => {
    expect(text(kept, dropped)).toContain(kept)
    expect(text(kept, dropped)).toContain(detail)
  })

  test("is the longer one where that says all of the other and more", () => {
    const longer = "The deploy script needs the staging flag, since version 2.4"
    expect(text("The deploy script needs the staging flag", longer)).toBe(longer)
  })

  test("stays as it is where the other is only another wording, or says less", () => {
    expect(text("Deploys go out on Friday", "We ship every friday")).toBe("Deploys go out on Friday")
    expect(text("The port is 8080 because of the proxy", "The port is 8080")).toBe(
      "The port is 8080 because of the proxy",
    )
  })

  test("stays as it is where both would be too long", () => {
    expect(text("Deploys go out on Fridays", "We ship on Friday at 16:30", 30)).toBe(
      "Deploys go out on Fridays",
    )
  })
})

describeDatabases("Merging", (create) => {
  const pairOf = async (world: Awaited<ReturnType<typeof openMemoryWorld>>) => {
    await world.remember("Deploys go out on Fridays", { verbatim: true, warnings: ["not before a holiday"] })
    await world.remember("We ship on Friday at 16:30", { verbatim: true, files: ["ops/deploy.md"] })
    const [keep, drop] = await selectMemories(world.db, sql`true`, sql`order by m.seq`)
    if (!keep || !drop) throw new Error("two memories were told")
    return { keep, drop }
  }

  it("keeps what the dropped one added, says where it came from, and is taken back whole", async () => {
    const world = await openMemoryWorld(await create())
    const pair = await pairOf(world)
    const { operation } = await mergeDuplicates(world, [pair], world.by())
    const [kept] = await selectMemories(world.db, sql`m.status = 'active'`)
    expect(kept).toMatchObject({
      id: pair.keep.id,
      content: "Deploys go out on Fridays. We ship on Friday at 16:30",
      strength: 2,
      details: { warnings: ["not before a holiday"], files: ["ops/deploy.md"] },
    })
    const edges = await selectEdges(world.db, sql`source = ${pair.keep.id} and kind = 'derived-from'`)
    expect(edges.map(({ target }) => target)).toEqual([pair.drop.id])
    expect(await world.find("16:30")).toEqual([kept?.content])
    await world.undo(operation)
    expect(await selectMemories(world.db, sql`true`, sql`order by m.seq`)).toMatchObject([
      { content: pair.keep.content, status: "active" },
      { content: pair.drop.content, status: "active" },
    ])
    expect(await selectEdges(world.db, sql`kind = 'derived-from'`)).toEqual([])
  })

  it("keeps steps, files, warnings and the reason of what is said again", async () => {
    const world = await openMemoryWorld(await create())
    await world.remember("Release with the script", { type: "procedure", files: ["a.md"] })
    const again = {
      type: "procedure" as const,
      steps: ["build", "tag"],
      warnings: ["never on Friday"],
      prerequisites: ["a clean tree"],
      files: ["b.md"],
      reason: "the user said so",
    }
    expect(await world.remember("Release with the script.", again)).toMatchObject({ outcome: "reinforced" })
    const [memory] = await selectMemories(world.db, sql`true`)
    expect(memory?.details).toMatchObject({
      steps: ["build", "tag"],
      warnings: ["never on Friday"],
      prerequisites: ["a clean tree"],
      files: ["a.md", "b.md"],
      reason: "the user said so",
    })
  })

  it("links what was concluded to what it was concluded from", async () => {
    const world = await openMemoryWorld(await create())
    await world.remember("The api runs in Frankfurt")
    await world.remember("The database runs in Dublin")
    const ids = (await selectMemories(world.db, sql`true`, sql`order by m.seq`)).map(({ id }) => id)
    const { id = "" } = (await world.remember("Every query crosses the sea", { derivedFrom: ids })) as {
      id?: string
    }
    const edges = await selectEdges(world.db, sql`kind = 'derived-from'`, sql`order by target`)
    expect(edges.map(({ source, target }) => [source, target])).toEqual(
      ids.toSorted().map((one) => [id, one]),
    )
    await expect(world.remember("Another", { derivedFrom: ["m_nothing"] })).rejects.toThrow(/m_nothing/)
  })
})
