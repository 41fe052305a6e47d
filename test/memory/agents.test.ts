import { expect, it } from "vitest"
import { undoAgentSession } from "../../src/memory/history/undo-group.ts"
import { requireMemory } from "../../src/memory/model/store/browse.ts"
import { forget } from "../../src/memory/write/change/forget-restore.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const hour = 3_600_000

/** An act of an agent in a session that may take two memories away. */
function agentsAct(world: MemoryWorld, letter: string) {
  const session = `mcp_${letter.repeat(16)}`
  const operation = `${session}-${world.by().operation.slice(3)}`
  return { operation, actor: "mcp", agent: { session, install: "install_test", lossLimit: 2 } }
}

async function observed(world: MemoryWorld, text: string): Promise<string> {
  const told = await world.remember(text, { source: "observed" })
  if (told.outcome === "refused") throw new Error(told.reason)
  return told.id
}

describeDatabases("An agent's session", (create) => {
  it("may take away so much, all sessions in an hour twice that, and one undo brings all of it back", async () => {
    const world = await openMemoryWorld(await create())
    const ids: string[] = []
    for (const name of ["anna", "bella", "cora", "dora", "elsa", "fred"])
      ids.push(await observed(world, `Host ${name} serves department ${name}`))
    const [a = "", b = "", c = "", d = "", e = "", f = ""] = ids
    await forget(world, [a], agentsAct(world, "a"))
    await forget(world, [b], agentsAct(world, "a"))
    await expect(forget(world, [c], agentsAct(world, "a"))).rejects.toThrow(/this session may hide no more/)
    await forget(world, [c, d], agentsAct(world, "b"))
    await expect(forget(world, [e], agentsAct(world, "c"))).rejects.toThrow(
      /hide no more memories in this hour/,
    )
    await undoAgentSession(world, world.by(), `mcp_${"a".repeat(16)}`)
    const now = await Promise.all(ids.map(async (id) => (await requireMemory(world.db, id)).status))
    expect(now).toEqual(["active", "active", "forgotten", "forgotten", "active", "active"])
    await world.clock.advance(hour + 1)
    await forget(world, [f], agentsAct(world, "c"))
    expect(await requireMemory(world.db, f)).toMatchObject({ status: "forgotten" })
  })
})
