import { expect, it } from "vitest"
import { selectEdges } from "../../src/memory/model/store/graph.ts"
import { openGaps } from "../../src/memory/write/gaps.ts"
import { sql } from "../../src/storage/sql.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { graphOf } from "../../testkit/worlds/memory-world.ts"
import { openRecallWorld } from "../../testkit/worlds/recall-world.ts"

const deploy = "The deploy script needs the staging flag before production"
const rollback = "The deploy script has a rollback flag for production"
const prompt = "Which flag does the deploy script need for production?"

describeDatabases("upkeep after a look", (create) => {
  it("links what mattered together, more firmly each time, and undo takes it back", async () => {
    const world = await openRecallWorld(await create())
    await world.remember("Blue is the colour of staging", { project: "shop", triggers: ["deploy"] })
    await world.remember("Ask Ada before anything ships", { project: "shop", triggers: ["deploy"] })
    const weights = async () =>
      (await selectEdges(world.db, sql`kind = 'relates-to'`)).map(({ weight }) => weight)
    expect(await weights()).toEqual([])
    await world.say(prompt)
    expect(await weights()).toEqual([0.25])
    await world.say(prompt, { ...world.session, id: "codex:two" })
    expect(await weights()).toEqual([0.35])
    for (let more = 0; more < 12; more += 1)
      await world.say(prompt, { ...world.session, id: `codex:more${more}` })
    expect(await weights()).toEqual([0.9])
    const links = (await world.journal("edge.")).filter(({ actor }) => actor === "recall")
    for (const { operation } of links.toReversed()) await world.undo(operation)
    expect(await weights()).toEqual([])
  })

  it("counts what was brought up as used, without standing in the way of the user's own undo", async () => {
    const world = await openRecallWorld(await create())
    const { id = "" } = (await world.remember(deploy, { project: "shop" })) as { id?: string }
    expect(await world.say(prompt)).toEqual([deploy])
    const [found] = graphOf(await world.export()).memories
    expect(found).toMatchObject({ id, accessCount: 1 })
    expect(await world.journal("memory.used")).toMatchObject([{ subject: id, actor: "recall" }])
    await world.undo()
    expect(graphOf(await world.export()).memories).toEqual([])
  })

  it("lowers nothing that was merely not chosen", async () => {
    const world = await openRecallWorld(await create(), { config: { recall: { max_memories: 1 } } })
    await world.remember(deploy, { project: "shop", confidence: 0.5 })
    await world.remember(rollback, { project: "shop", confidence: 0.5 })
    await world.say(prompt)
    const { memories } = graphOf(await world.export())
    expect(memories.map(({ confidence }) => confidence)).toEqual([0.5, 0.5])
  })

  it("keeps questions that found nothing, once each, and closes them when something answers", async () => {
    const world = await openRecallWorld(await create())
    await world.remember("Unrelated words of the shop", { project: "shop" })
    await world.say("Where are the invoices of the harbour stored?")
    await world.say("where are the invoices of the harbour  stored?", { ...world.session, id: "codex:two" })
    await world.say("Thanks a lot, looks good")
    const [project] = await world.db.read<{ id: string }>(sql`select id from projects`)
    const gaps = await openGaps(world.db, { projects: [project?.id ?? ""] }, 10)
    expect(gaps).toMatchObject([{ question: expect.stringMatching(/invoices of the harbour/), times: 2 }])
    await world.remember("The invoices of the harbour are stored in the blue bucket", { project: "shop" })
    await world.say("Where are the invoices of the harbour stored?", { ...world.session, id: "codex:three" })
    expect(await openGaps(world.db, {}, 10)).toEqual([])
    expect(await world.journal("gap.")).toMatchObject([
      { kind: "gap.found" },
      { kind: "gap.found" },
      { kind: "gap.closed" },
    ])
  })
})
