import { expect, test } from "vitest"
import { createInstallation, type Installation } from "../../testkit/program/program.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"

interface Found {
  results: { content: string; score: number; via: string[] }[]
  abstained: boolean
}

/** Tells, finds and takes back, as a user would. */
async function tellFindUndo({ run, json }: Installation): Promise<void> {
  const text = "The staging database runs on port 5433"
  const added = await json<{ outcome: string; id: string }>("memory", "add", text, "--tag", "infra")
  expect(added).toMatchObject({ schemaVersion: 1, outcome: "saved" })
  const found = await json<Found>("memory", "search", "staging", "port", "--sure")
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
  expect(await json<Found>("memory", "search", "staging port", "--sure")).toMatchObject({
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
    expect((await installation.json<Found>("memory", "search", "daemon", "--sure")).results).toHaveLength(1)
    expect(await installation.json("memory", "stats")).toMatchObject({
      counts: { vectors: [{ memories: 1, current: true }], withoutVector: 0 },
    })
    await tellFindUndo(installation)
    expect(await installation.json("status")).toMatchObject({
      daemon: { running: true, pid: daemon.process.pid },
    })
    expect(await installation.run("stop")).toMatchObject({ code: 0 })
    expect(await daemon.ended).toBe(0)
    expect((await installation.json<Found>("memory", "search", "daemon", "--sure")).results).toHaveLength(1)
  })
})

describeDatabases("What is told is compared with what is known", (create) => {
  test("by its words and by its meaning, and each change is taken back whole", async () => {
    const { url } = await create()
    const installation = createInstallation({ databaseUrl: url })
    await installation.daemonHere()
    const { json } = installation
    const tell = (text: string) => json<{ outcome: string; id: string }>("memory", "add", text)
    const find = (query: string) => json<Found>("memory", "search", query, "--sure")

    const first = await tell("The staging database listens on port 5433")
    expect(await tell("The staging database is listening on port 5433")).toMatchObject({
      outcome: "reinforced",
      id: first.id,
    })
    const second = await tell("The staging database listens on port 5434")
    expect(second).toMatchObject({
      outcome: "superseded",
      related: [first.id],
      reason: expect.stringMatching(/5433.*5434/),
    })
    const backups = await tell("The staging database is backed up at night")
    const restic = await tell("Backups of the staging database are made with restic")
    expect(restic).toMatchObject({ outcome: "saved" })
    expect(await json("memory", "show", restic.id)).toMatchObject({
      edges: expect.arrayContaining([
        { source: restic.id, kind: "relates-to", target: backups.id, weight: expect.any(Number) },
      ]),
    })

    await tell("Cats sleep on the sofa")
    expect(await find("kittens napping on couches")).toMatchObject({
      results: [{ content: "Cats sleep on the sofa", via: ["meaning"] }],
    })
    expect(await find("who won the football match")).toMatchObject({ results: [], abstained: true })
    const port = (await find("5433")).results.map(({ content }) => content)
    expect(port).toEqual(["The staging database listens on port 5434"])

    // The cats, restic and its link, the backups; then the new port.
    for (let step = 0; step < 4; step += 1) await json("undo")
    expect(await json("memory", "show", first.id)).toMatchObject({
      status: "active",
      supersededBy: null,
      strength: 2,
      edges: [],
    })
    expect(await json("undo")).toMatchObject({ outcome: "undone" })
    expect(await json("memory", "show", first.id)).toMatchObject({ strength: 1 })
  })
})

// That both databases give an edited text its new vector is in test/memory/vectors.test.ts.
test("What is edited is found by what it means now, and by what it meant again when that is undone", async () => {
  const { json, run } = createInstallation()
  const { id } = await json<{ id: string }>("memory", "add", "Cats sleep on the sofa")
  const find = async (query: string) => (await json<Found>("memory", "search", query, "--sure")).results
  expect(await find("kittens napping on couches")).toMatchObject([{ via: ["meaning"] }])
  await run("memory", "edit", id, "Ines is allergic to peanuts")
  expect(await json("memory", "why", id, "--query", "food intolerance to nuts")).toMatchObject({
    finding: { found: true, via: ["meaning"] },
  })
  expect(await find("kittens napping on couches")).toEqual([])
  expect(await find("food intolerance to nuts")).toMatchObject([{ via: ["meaning"] }])
  await run("undo")
  expect(await find("food intolerance to nuts")).toEqual([])
  expect(await find("kittens napping on couches")).toMatchObject([{ via: ["meaning"] }])
})
