import { expect, test } from "vitest"
import { describeDatabases } from "../support/databases.ts"
import { createInstallation, type Installation } from "../support/program.ts"

interface Found {
  results: { content: string; score: number; via: string[] }[]
  abstained: boolean
}

/** Tells, finds and takes back, as a user would. */
async function tellFindUndo({ run, json }: Installation): Promise<void> {
  const text = "The staging database runs on port 5433"
  const added = await json<{ outcome: string; id: string }>("memory", "add", text, "--tag", "infra")
  expect(added).toMatchObject({ schemaVersion: 1, outcome: "saved" })
  const found = await json<Found>("memory", "search", "staging", "port")
  expect(found).toMatchObject({ schemaVersion: 1, abstained: false })
  expect(found.results).toMatchObject([
    { id: added.id, content: text, type: "fact", tags: ["infra"], via: ["text", "meaning"] },
  ])
  const shown = await json("memory", "show", added.id.slice(-6))
  expect(shown).toMatchObject({
    id: added.id,
    strength: 1,
    history: [{ kind: "memory.saved", actor: "cli" }],
  })
  expect((await run("memory", "list")).stdout).toContain(text)
  expect(await json("undo")).toMatchObject({ outcome: "undone", summary: text })
  expect(await json<Found>("memory", "search", "staging port")).toMatchObject({
    results: [],
    abstained: true,
  })
}

describeDatabases("Telling, finding and taking back", (create) => {
  test("works without a daemon", async () => {
    const { kind, url } = await create()
    const installation = createInstallation({ databaseUrl: url })
    await tellFindUndo(installation)
    expect(await installation.json("status")).toMatchObject({
      daemon: { running: false },
      status: "stopped",
      memory: { storage: kind },
    })
  })

  test("works through the daemon, and both see the same", async () => {
    const { url } = await create()
    const installation = createInstallation({ databaseUrl: url })
    await installation.run("memory", "add", "told before the daemon came")
    const daemon = await installation.daemon()
    expect((await installation.json<Found>("memory", "search", "daemon")).results).toHaveLength(1)
    expect(await installation.json("memory", "stats")).toMatchObject({
      counts: { vectors: [{ memories: 1, current: true }], withoutVector: 0 },
    })
    await tellFindUndo(installation)
    expect(await installation.json("status")).toMatchObject({
      daemon: { running: true, pid: daemon.process.pid },
    })
    expect(await installation.run("stop")).toMatchObject({ code: 0 })
    expect(await daemon.ended).toBe(0)
    expect((await installation.json<Found>("memory", "search", "daemon")).results).toHaveLength(1)
  })
})
