import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Edit, editMemory, editSchema } from "../../src/memory/write/change/edit.ts"
import type { Remembered } from "../../src/memory/write/remember.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { graphOf, type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

function idOf(remembered: Remembered): string {
  if (remembered.outcome === "refused") throw new Error(remembered.reason)
  return remembered.id
}

async function edit(world: MemoryWorld, id: string, given: Edit, more: object = {}) {
  return world.act((needs, by) => editMemory({ ...needs, ...more }, id, editSchema.parse(given), by))
}

describeDatabases("Editing", (create) => {
  const open = async () => openMemoryWorld(await create())

  test("every field can be set and emptied, and the others stay", async () => {
    const world = await open()
    const id = idOf(
      await world.remember("To deploy", { type: "procedure", files: ["a.sh"], season: "spring" }),
    )
    const parts = {
      steps: ["build", "push"],
      prerequisites: ["a key"],
      warnings: ["slow"],
      reason: "seen twice",
    }
    expect(await edit(world, id, { ...parts, audience: "ops", recencyWeight: 0.2 })).toMatchObject({
      memories: [
        {
          content: "To deploy",
          audience: "ops",
          details: { ...parts, files: ["a.sh"], season: "spring", recencyWeight: 0.2 },
        },
      ],
    })
    expect(await edit(world, id, { audience: null, steps: null, season: null })).toMatchObject({
      memories: [{ audience: null, details: { files: ["a.sh"], prerequisites: ["a key"] } }],
    })
    const [memory] = JSON.parse(await world.export()).memories
    expect(memory.details).not.toHaveProperty("steps")
    expect(await edit(world, id, { audience: null })).toMatchObject({ memories: [], edges: [] })
  })

  test("a text of its own says who vouches for it, and makes it verified", async () => {
    const world = await open()
    const id = idOf(await world.remember("Guessed", { source: "inferred", confidence: 0.5 }))
    expect(await edit(world, id, { content: " Known \u0000", source: "user-corrected" })).toMatchObject({
      memories: [
        {
          content: "Known",
          source: "user-corrected",
          trust: 1,
          verifiedAt: world.clock.now(),
          confidence: 0.5,
        },
      ],
    })
    expect(await world.find("known")).toEqual(["Known"])
    expect(await world.find("guessed")).toEqual([])
  })

  test("a new text takes the place of what it opposes, links what it may oppose, and undo restores all", async () => {
    const world = await open()
    const port = idOf(await world.remember("The port is 8080", { source: "user-corrected" }))
    const linux = idOf(await world.remember("Tests run on Linux"))
    const other = idOf(await world.remember("Bananas ripen quickly"))
    const before = await world.export()
    const corrected = { source: "user-corrected" as const }
    expect(await edit(world, other, { content: "The port is 9090", ...corrected })).toMatchObject({
      memories: [
        { id: other, content: "The port is 9090", status: "active" },
        { id: port, status: "superseded", supersededBy: other },
      ],
      edges: [{ before: null, after: { source: other, kind: "supersedes", target: port } }],
    })
    await world.undo()
    expect(graphOf(await world.export())).toEqual(graphOf(before))
    expect(await edit(world, other, { content: "Tests run on macOS", ...corrected })).toMatchObject({
      memories: [{ id: other, status: "active" }],
      edges: [{ before: null, after: { source: other, kind: "contradicts", target: linux } }],
    })
    expect(await edit(world, other, { content: "Tests run on Windows", ...corrected })).toMatchObject({
      edges: [],
    })
    await world.undo()
    await world.undo()
    expect(graphOf(await world.export())).toEqual(graphOf(before))
  })

  test("a text that is only supposed opposes, and takes no place of what is believed more", async () => {
    const world = await open()
    const port = idOf(await world.remember("The port is 8080"))
    const other = idOf(await world.remember("Bananas ripen quickly"))
    expect(await edit(world, other, { content: "The port is 9090", source: "inferred" })).toMatchObject({
      memories: [{ id: other, status: "active" }],
      edges: [{ after: { source: other, kind: "contradicts", target: port } }],
    })
  })

  test("a text that another memory has already is refused, and not one of another place", async () => {
    const world = await open()
    const port = idOf(await world.remember("The port is 8080"))
    const other = idOf(await world.remember("Bananas ripen quickly"))
    const option = idOf(await world.remember("Delete it with git branch -d"))
    await expect(edit(world, other, { content: "the port is 8080." })).rejects.toThrow(
      `${port} says the same already; forget ${other} instead`,
    )
    expect(await world.find("bananas")).toEqual(["Bananas ripen quickly"])
    expect(await edit(world, port, { content: "The Port is 8080" })).toMatchObject({
      memories: [{ id: port }],
    })
    expect(await edit(world, other, { content: "The port is 8080", project: "alpha" })).toMatchObject({
      memories: [{ id: other, scope: "project" }],
      edges: [],
    })
    expect(await edit(world, port, { content: "Delete it with git branch -D" })).toMatchObject({
      memories: [{ id: port }],
    })
    expect(await world.find("delete branch")).toHaveLength(2)
    expect(option).not.toBe(port)
  })

  test("moves between scopes and projects", async () => {
    const world = await open()
    const id = idOf(await world.remember("rule"))
    expect(await edit(world, id, { project: "alpha" })).toMatchObject({ memories: [{ scope: "project" }] })
    expect(await world.find("rule")).toEqual([])
    expect(await edit(world, id, { project: "beta" })).toMatchObject({ memories: [{ scope: "project" }] })
    expect(await world.find("rule", { project: "beta" })).toEqual(["rule"])
    expect(await edit(world, id, { scope: "global" })).toMatchObject({ memories: [{ project: null }] })
    await expect(edit(world, id, { scope: "global", project: "alpha" })).rejects.toThrow(
      "belongs to no project",
    )
    await expect(edit(world, id, { scope: "session" })).rejects.toThrow("comes from no session")
  })

  test("the rules for new memories hold: privacy, length, the switch", async () => {
    const world = await open()
    const folder = throwawayFolder()
    mkdirSync(join(folder, ".reverie"))
    const id = idOf(await world.remember("short", { project: folder }))
    const roots: (string | null | undefined)[] = []
    const screen = {
      check: async (text: string, context?: { projectRoot?: string | null }) => {
        roots.push(context?.projectRoot)
        return text.includes("forbidden")
          ? { outcome: "refused" as const, reason: "it holds a secret" }
          : { outcome: "redacted" as const, text: text.replaceAll("hunter2", "[removed]") }
      },
    }
    const given = {
      content: "it is hunter2",
      context: "said hunter2",
      steps: ["type hunter2"],
      tags: ["hunter2"],
    }
    expect(await edit(world, id, given, { screen })).toMatchObject({
      memories: [
        {
          content: "it is [removed]",
          tags: ["[removed]"],
          details: { context: "said [removed]", steps: ["type [removed]"] },
        },
      ],
    })
    expect(new Set(roots)).toEqual(new Set([folder]))
    const refused = { outcome: "refused", reason: "it holds a secret" }
    expect(await edit(world, id, { reason: "forbidden" }, { screen })).toEqual(refused)
    expect(await world.export()).not.toMatch(/hunter2|forbidden/)
    writeFileSync(join(folder, ".reverie/config.toml"), "[memory]\nlongest_text = 100\n")
    expect(await edit(world, id, { content: "y".repeat(101) })).toMatchObject({ outcome: "refused" })
    writeFileSync(join(folder, ".reverie/config.toml"), "[memory]\nenabled = false\n")
    expect(await edit(world, id, { content: "new" })).toMatchObject({ outcome: "refused" })
    expect(await edit(world, id, { content: "  " })).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/no text/),
    })
  })
})
