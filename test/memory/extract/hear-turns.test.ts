import { expect, it } from "vitest"
import { extractSession } from "../../../src/memory/extract/extract-session.ts"
import { requireMemory } from "../../../src/memory/model/store/browse.ts"
import { restore } from "../../../src/memory/write/change/forget-restore.ts"
import { serveModel } from "../../../testkit/model-server/serve-model.ts"
import { withScriptedJudge } from "../../../testkit/scripted-judge.ts"
import { describeDatabases, type TestDatabase } from "../../../testkit/setup/databases.ts"
import { createToyEmbedder } from "../../../testkit/toy-embedder.ts"
import { notes, openExtractionWorld } from "../../../testkit/worlds/extraction-world.ts"

const taught = "invoices leave the house on the second of the month, whatever happens"
const script = {
  teaches: {
    "invoices leave": ["fact", 0.94],
    "hands off the vendored": ["prohibition", 0.9],
    "never push": ["prohibition", 0.99],
    "the button": ["preference", 0.6],
    ledger: ["fact", 0.98],
  },
} as const

async function open(store: TestDatabase, more: Parameters<typeof openExtractionWorld>[1] = {}) {
  const embedder = withScriptedJudge(createToyEmbedder(), script)
  const world = await openExtractionWorld(store, { embedder, ...more })
  const read = async (id: string, ...said: string[]) => {
    await world.storeSession({
      id,
      said: said.map((text) => `user: ${text}`),
      at: world.clock.now() - 60_000,
    })
    return extractSession(world.needs, id, "test")
  }
  return { ...world, embedder, read }
}

describeDatabases("What the trained model alone takes for teaching", (create) => {
  it("waits in quarantine, with its type, its words and the model's version", async () => {
    const world = await open(await create())
    await world.read("codex:a", `please fix the button. ${taught}. hands off the vendored folder.`)
    const [fact, prohibition, ...others] = await world.all()
    expect(others).toEqual([])
    expect(fact).toMatchObject({ type: "fact", status: "quarantined", source: "extracted" })
    expect(fact?.content.toLowerCase()).toContain(taught)
    expect(fact?.details.reason).toBe("judge scripted.1: fact (0.94)")
    expect(prohibition).toMatchObject({ type: "negative", status: "quarantined" })
    expect(await world.find("when do invoices leave the house")).toEqual([])
  })

  it("carries the time of the turn it was said in", async () => {
    const world = await open(await create())
    const at = world.clock.now() - 60_000
    await world.read("codex:a", `${taught}.`)
    expect(await world.all()).toMatchObject([{ createdAt: at }])
  })

  it("holds once it is said again in another session, not in the same one", async () => {
    const world = await open(await create())
    await world.read("codex:a", `${taught}.`, `as I said, ${taught}.`)
    const [first] = await world.all()
    expect(first).toMatchObject({ status: "quarantined" })
    await world.read("claude-code:b", `${taught}.`)
    expect(await world.all()).toMatchObject([{ id: first?.id, status: "active" }])
  })

  it("holds once the person confirms it", async () => {
    const world = await open(await create())
    await world.read("codex:a", `${taught}.`)
    const [first] = await world.all()
    await world.act((needs, act) => restore(needs, [first?.id ?? ""], act))
    expect(await requireMemory(world.db, first?.id ?? "")).toMatchObject({ status: "active" })
  })

  it("goes in at once where it is quite sure", async () => {
    const world = await open(await create())
    await world.read("codex:a", "the ledger closes at noon on Fridays.")
    expect(await world.all()).toMatchObject([
      { type: "fact", status: "active", details: { reason: "judge scripted.1: fact (0.98)" } },
    ])
  })

  it("waits however sure it is where only the conversation knows what it is about", async () => {
    const world = await open(await create())
    await world.read("codex:a", "it closes the ledger at noon on Fridays.")
    expect(await world.all()).toMatchObject([{ status: "quarantined" }])
  })

  it("is left to a model where one reads the session", async () => {
    const server = await serveModel()
    const world = await open(await create(), { server })
    const content = "Invoices leave the house on the second of the month."
    server.script([notes({ content, type: "fact", evidence: taught, turns: [0, 0] })])
    await world.read("codex:a", `${taught}.`, "hands off the vendored folder.")
    const all = await world.all()
    expect(all.filter(({ details }) => details.reason?.startsWith("judge "))).toEqual([])
  })

  it("is not asked about questions, quotations, or what was taken back", async () => {
    const world = await open(await create())
    await world.read("codex:a", `do ${taught}?`, `he wrote: "${taught}"`, `${taught}.`, "scratch that")
    expect(await world.all()).toEqual([])
  })

  it("makes what rules say surer, and changes nothing else about it", async () => {
    const world = await open(await create())
    await world.read("codex:a", "never push directly to main.")
    const [first, ...others] = await world.all()
    expect(others).toEqual([])
    expect(first).toMatchObject({ type: "negative", status: "active", confidence: 0.9 })
    expect(first?.details.reason).toBe("rule prohibition; judge scripted.1 agrees (0.99)")
  })
})
