import { expect, it } from "vitest"
import { listMemories, requireMemory } from "../../src/memory/model/store/browse.ts"
import { countConflicts } from "../../src/memory/write/change/conflicts.ts"
import { editMemory } from "../../src/memory/write/change/edit.ts"
import { restore } from "../../src/memory/write/change/forget-restore.ts"
import { rateMemory } from "../../src/memory/write/change/rate.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const content = "The nightly export runs on the host named heron."
const supposed = { source: "inferred", confidence: 0.4, quarantined: true, sessionId: "codex:a" } as const

async function suppose(world: MemoryWorld, text = content, given: object = supposed) {
  const remembered = await world.remember(text, given)
  if (remembered.outcome === "refused") throw new Error(remembered.reason)
  return remembered.id
}

const found = (world: MemoryWorld) => world.find("where does the nightly export run", { allProjects: true })

describeDatabases("Quarantine", (create) => {
  it("hides a memory from search until something bears it out, but lists it by its status", async () => {
    const world = await openMemoryWorld(await create())
    const id = await suppose(world)
    expect(await found(world)).toEqual([])
    const page = await listMemories(world, { status: "quarantined", limit: 10 })
    expect(page.memories).toMatchObject([{ id, status: "quarantined", confidence: 0.4 }])
    expect((await listMemories(world, { limit: 10 })).memories).toEqual([])
  })

  it("ends when another session finds the same, not when the same session repeats it", async () => {
    const world = await openMemoryWorld(await create())
    const id = await suppose(world)
    await suppose(world)
    expect(await requireMemory(world.db, id)).toMatchObject({ status: "quarantined", strength: 2 })
    await suppose(world, content, { ...supposed, sessionId: "claude-code:b" })
    expect(await requireMemory(world.db, id)).toMatchObject({
      status: "active",
      strength: 3,
      confidence: 0.6,
    })
    expect(await found(world)).toEqual([content])
  })

  it("ends when the user says it outright, with the user as its source", async () => {
    const world = await openMemoryWorld(await create())
    const id = await suppose(world)
    expect(await world.remember(content)).toMatchObject({ outcome: "reinforced", id })
    expect(await requireMemory(world.db, id)).toMatchObject({ status: "active", source: "user-stated" })
  })

  it("is a journal entry that undo takes back", async () => {
    const world = await openMemoryWorld(await create())
    const id = await suppose(world)
    const act = world.by()
    await world.remember(content, { ...supposed, sessionId: "codex:b" }, act)
    const entries = await readJournal(world.db, { subject: id, kind: "memory." })
    expect(entries.map(({ kind }) => kind)).toEqual(["memory.saved", "memory.promoted"])
    await world.undo(act.operation)
    expect(await requireMemory(world.db, id)).toMatchObject({ status: "quarantined", confidence: 0.4 })
    expect(await found(world)).toEqual([])
  })

  it.each(["rate", "edit", "restore"] as const)(
    "ends when a person %ss it, and undo brings it back",
    async (how) => {
      const world = await openMemoryWorld(await create())
      const id = await suppose(world)
      const act = world.by()
      if (how === "rate") await rateMemory(world, id, "helpful", act)
      else if (how === "edit") await editMemory(world, id, { type: "entity" }, act)
      else await restore(world, [id], act)
      expect(await requireMemory(world.db, id)).toMatchObject({ status: "active" })
      expect(await readJournal(world.db, { subject: id, kind: "memory.promoted" })).toHaveLength(1)
      await world.undo(act.operation)
      expect(await requireMemory(world.db, id)).toMatchObject({ status: "quarantined", confidence: 0.4 })
    },
  )

  it("stays when it is called unhelpful, or when an agent praises what it supposed itself", async () => {
    const world = await openMemoryWorld(await create())
    const id = await suppose(world)
    await rateMemory(world, id, "unhelpful", world.by())
    await rateMemory(world, id, "helpful", { ...world.by(), actor: "mcp" })
    expect(await requireMemory(world.db, id)).toMatchObject({ status: "quarantined" })
  })

  it("never replaces what stands, and gives way to what is said", async () => {
    const world = await openMemoryWorld(await create())
    const port = (number: number) => `The gateway listens on port ${number}.`
    const known = await suppose(world, port(8080), { source: "inferred" })
    const id = await suppose(world, port(9090), supposed)
    expect(await requireMemory(world.db, known)).toMatchObject({ status: "active" })
    expect(await requireMemory(world.db, id)).toMatchObject({ status: "quarantined" })
    expect(await countConflicts(world.db)).toBe(0)
    await world.remember(port(7070), { source: "user-stated" })
    expect(await requireMemory(world.db, id)).toMatchObject({ status: "superseded" })
  })
})
