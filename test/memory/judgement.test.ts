import { expect, it } from "vitest"
import { retrieve } from "../../src/memory/find/retrieve.ts"
import { runGarden } from "../../src/memory/garden/run-garden.ts"
import { suspectUpdates } from "../../src/memory/garden/similar/suspect-updates.ts"
import { memoryWorks } from "../../src/memory/garden/works.ts"
import { whyBelieved } from "../../src/memory/history/why.ts"
import { createLossBudget } from "../../src/memory/model/agents/losses.ts"
import { requireMemory } from "../../src/memory/model/store/browse.ts"
import { selectEdges } from "../../src/memory/model/store/graph.ts"
import { mayReplaceIn } from "../../src/memory/write/change/compare-edited.ts"
import { countConflicts, listConflicts, resolveConflict } from "../../src/memory/write/change/conflicts.ts"
import { editMemory } from "../../src/memory/write/change/edit.ts"
import { forget, restore } from "../../src/memory/write/change/forget-restore.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"
import { withScriptedJudge } from "../../testkit/scripted-judge.ts"
import { describeDatabases, type TestDatabase } from "../../testkit/setup/databases.ts"
import { createToyEmbedder } from "../../testkit/toy-embedder.ts"
import { type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const older = "Our CI pipeline is GitHub Actions for every repository"
const newer = "Buildkite runs the CI pipeline of every repository"
const script = { relates: { "GitHub Actions > Buildkite": ["update", 0.93] } } as const
const weekMs = 7 * 86_400_000

async function open(store: TestDatabase, said: Parameters<typeof withScriptedJudge>[1] = script) {
  const embedder = withScriptedJudge(createToyEmbedder(), said)
  const world = await openMemoryWorld(store, 1, { embedder })
  return { ...world, embedder }
}

async function idOf(world: MemoryWorld, text: string, given?: object): Promise<string> {
  const remembered = await world.remember(text, given)
  if (remembered.outcome === "refused") throw new Error(remembered.reason)
  return remembered.id
}

const suspects = (world: MemoryWorld) => selectEdges(world.db, sql`kind = 'may-replace'`)
const search = (world: MemoryWorld, query: string, limit = 5) =>
  retrieve(world, { query, limit, gate: false })

describeDatabases("What the trained model takes for an update", (create) => {
  it("is an open question: both stay, and the newer is told to replace the older, perhaps", async () => {
    const world = await open(await create())
    const old = await idOf(world, older)
    const told = await world.remember(newer)
    expect(told).toMatchObject({ outcome: "saved", mayReplace: [old], judge: "scripted.1" })
    expect(await requireMemory(world.db, old)).toMatchObject({ status: "active" })
    expect(await suspects(world)).toMatchObject([{ target: old, weight: 0.93 }])
    expect(await countConflicts(world.db)).toBe(1)
    const listed = await listConflicts(world, { limit: 5 })
    expect(listed).toMatchObject([
      { kind: "may-replace", memories: [{ content: newer }, { content: older }] },
    ])
    const entries = await readJournal(world.db, { kind: "edge.", limit: 10 })
    expect(entries.map(({ data }) => data)).toContainEqual(expect.objectContaining({ judge: "scripted.1" }))
    expect((await whyBelieved(world, old)).mayBeReplacedBy).toMatchObject([{ content: newer }])
  })

  it("is no line of a conversation: that tells what was said then", async () => {
    const world = await open(await create())
    await idOf(world, `Caroline: ${older}`)
    expect(await world.remember(`Melanie: ${newer}`)).not.toHaveProperty("mayReplace")
    expect(await suspects(world)).toEqual([])
  })

  it("puts the newer above the older whatever was asked, and marks the older", async () => {
    const world = await open(await create())
    const old = await idOf(world, older)
    const now = await idOf(world, newer)
    const { hits } = await search(world, "is it GitHub Actions?")
    expect(hits.map(({ memory }) => memory.id)).toEqual([now, old])
    expect(hits[1]).toMatchObject({ older: now, suspected: true })
    const best = await search(world, older, 1)
    expect(best.hits.map(({ memory }) => memory.id)).toEqual([now])
  })

  it("ends when somebody decides, and undo opens it again", async () => {
    const world = await open(await create())
    const old = await idOf(world, older)
    const now = await idOf(world, newer)
    const by = world.by()
    await resolveConflict(world, { id: now, other: old, keep: "this" }, by)
    expect(await requireMemory(world.db, old)).toMatchObject({ status: "superseded", supersededBy: now })
    expect(await suspects(world)).toEqual([])
    await world.undo(by.operation)
    expect(await countConflicts(world.db)).toBe(1)
    await resolveConflict(world, { id: now, keep: "both" }, world.by())
    expect(await countConflicts(world.db)).toBe(0)
    expect((await search(world, older, 1)).hits[0]?.memory.id).toBe(old)
  })

  it("is one question and not two where the older was replaced and brought back", async () => {
    const world = await open(await create())
    const old = await idOf(world, older)
    const now = await idOf(world, newer)
    await world.act((needs, act) => forget(needs, [old], act))
    expect(await countConflicts(world.db)).toBe(0)
    await world.act((needs, act) => restore(needs, [old], act))
    expect(await countConflicts(world.db)).toBe(1)
    await world.act((needs, act) => resolveConflict(needs, { id: now, keep: "this" }, act))
    await world.act((needs, act) => restore(needs, [old], act))
    expect(await listConflicts(world, { limit: 5 })).toHaveLength(1)
  })

  it("is asked about what a memory is edited to say too, and undo takes the question back", async () => {
    const world = await open(await create(), {
      relates: { ...script.relates, "Buildkite > GitHub Actions": ["unrelated", 1] },
    })
    const edited = await idOf(world, "Linting is part of the editor setup")
    const old = await idOf(world, older)
    const by = { ...world.by(), actor: "cli" }
    const told = await editMemory(world, edited, { content: newer }, by)
    expect("edges" in told && mayReplaceIn(told.edges)).toEqual([old])
    expect(await suspects(world)).toMatchObject([{ source: edited, target: old, weight: 0.93 }])
    expect((await search(world, older, 1)).hits[0]?.memory.id).toBe(edited)
    const entries = await readJournal(world.db, { kind: "edge.", limit: 10 })
    expect(entries.map(({ data }) => data)).toContainEqual(expect.objectContaining({ judge: "scripted.1" }))
    expect(await editMemory(world, edited, { content: newer }, by)).toEqual(told)
    await world.undo(by.operation)
    expect(await suspects(world)).toEqual([])
  })

  it("is told when a text is given anew under its source id too", async () => {
    const world = await open(await create())
    const given = { sourceId: "notes/ci.md" }
    const id = await idOf(world, "Linting is part of the editor setup", given)
    const old = await idOf(world, older)
    const told = await world.remember(newer, given)
    expect(told).toMatchObject({ outcome: "updated", id, mayReplace: [old], judge: "scripted.1" })
  })

  it("turns round where the older is edited to say the newest", async () => {
    const newest = "The CI pipeline of every repository is on Jenkins again"
    const world = await open(await create(), {
      relates: { ...script.relates, "Buildkite > Jenkins": ["update", 0.95] },
    })
    const first = await idOf(world, older)
    const second = await idOf(world, newer)
    await editMemory(world, first, { content: newest }, { ...world.by(), actor: "cli" })
    expect(await suspects(world)).toMatchObject([{ source: first, target: second, weight: 0.95 }])
  })

  it("is not asked about a new wording of the gardener's, nor where only a tag changes", async () => {
    const world = await open(await create())
    const edited = await idOf(world, "Linting is part of the editor setup")
    await idOf(world, older)
    const before = world.embedder.judgeAsked.length
    await editMemory(world, edited, { tags: ["editor"] }, { ...world.by(), actor: "cli" })
    await editMemory(world, edited, { content: newer }, { ...world.by(), actor: "ambient" })
    expect(world.embedder.judgeAsked).toHaveLength(before)
    expect(await suspects(world)).toEqual([])
  })

  it("goes by when something was said: an old session read late replaces nothing said since", async () => {
    const world = await open(await create(), {
      relates: {
        "Buildkite > GitHub Actions": ["unrelated", 1],
        "GitHub Actions > Buildkite": ["update", 0.93],
      },
    })
    const now = await idOf(world, newer)
    const late = await world.remember(older, { createdAt: world.clock.now() - weekMs })
    expect(late).not.toHaveProperty("mayReplace")
    const id = "id" in late ? late.id : ""
    expect(await suspects(world)).toMatchObject([{ source: now, target: id }])
    const { hits } = await search(world, older)
    expect(hits.map(({ memory }) => memory.id)).toEqual([now, id])
  })

  it("keeps an older correction from replacing what was said since", async () => {
    const world = await open(await create())
    const now = await idOf(world, "The default branch is trunk.")
    const given = { source: "user-corrected", createdAt: world.clock.now() - weekMs } as const
    expect(await world.remember("The default branch is main.", given)).toMatchObject({ outcome: "conflict" })
    expect(await requireMemory(world.db, now)).toMatchObject({ status: "active" })
  })

  it("travels with export and import", async () => {
    const world = await open(await create())
    await idOf(world, older)
    await idOf(world, newer)
    const other = await open(await create())
    await other.import(await world.export())
    expect(await countConflicts(other.db)).toBe(1)
  })

  it("holds nothing against the person on an agent's word", async () => {
    const world = await open(await create())
    await idOf(world, older)
    await world.remember(newer, { notedBy: "agent", source: "observed" })
    expect(await suspects(world)).toEqual([])
  })

  it("is left to rules where the model fails", async () => {
    const world = await open(await create(), {
      ...script,
      before() {
        throw new Error("the thread died")
      },
    })
    await idOf(world, older)
    expect(await world.remember(newer)).toMatchObject({ outcome: "saved" })
    expect(await suspects(world)).toEqual([])
  })
})

describeDatabases("What the trained model takes for the same", (create) => {
  const said = "The billing service stores its data in PostgreSQL 15"
  it("is said again where nothing that matters differs", async () => {
    const world = await open(await create(), { relates: { "stores > keeps": ["duplicate", 0.97] } })
    const id = await idOf(world, said)
    const again = await world.remember("The billing service keeps its data in PostgreSQL 15")
    expect(again).toMatchObject({ outcome: "reinforced", id, judge: "scripted.1" })
    expect(await requireMemory(world.db, id)).toMatchObject({ content: `${said}`, strength: 2 })
  })

  it("is no text to edit another memory to", async () => {
    const world = await open(await create(), { relates: { "stores > keeps": ["duplicate", 0.97] } })
    const id = await idOf(world, said)
    const other = await idOf(world, "Linting is part of the editor setup")
    const edit = { content: "The billing service keeps its data in PostgreSQL 15" }
    const editing = world.act((needs, by) => editMemory(needs, other, edit, by))
    await expect(editing).rejects.toThrow(`${id} says the same already; forget ${other} instead`)
    expect(await requireMemory(world.db, other)).toMatchObject({ version: 1 })
  })

  it.each([
    ["another number", "The billing service keeps its data in PostgreSQL 16"],
    ["another name", "The billing service keeps its data in MongoDB 15"],
    ["a denial", "The billing service never keeps its data in PostgreSQL 15"],
    ["a condition", "The billing service keeps its data in PostgreSQL 15 only during tests"],
  ])("is never merged with %s", async (_, text) => {
    const world = await open(await create(), { relates: { "stores > keeps": ["duplicate", 0.99] } })
    await idOf(world, said)
    expect((await world.remember(text)).outcome).not.toBe("reinforced")
  })
})

describeDatabases("The same words in another order", (create) => {
  it("are never taken for the same, however sure the trained model is", async () => {
    const world = await open(await create(), { relates: { "cheetah > cheetah": ["duplicate", 0.99] } })
    await idOf(world, "The cheetah runs quickly behind the prey")
    const told = await world.remember("The prey runs quickly behind the cheetah")
    expect(told.outcome).not.toBe("reinforced")
  })
})

describeDatabases("The garden", (create) => {
  it("finds updates among what came before the trained model was there, once", async () => {
    const store = await create()
    const plain = await openMemoryWorld(store, 1, { embedder: createToyEmbedder() })
    await idOf(plain, older)
    await idOf(plain, newer)
    const embedder = withScriptedJudge(createToyEmbedder(), script)
    const tend = () =>
      runGarden(plain, memoryWorks({ ...plain, embedder }), {
        by: plain.by,
        limit: 100,
        losses: createLossBudget(100),
        signal: new AbortController().signal,
      })
    const { deeds, open: asked } = await tend()
    expect(deeds).toMatchObject([{ name: "possible updates linked", changed: 1 }])
    expect(asked).toMatchObject([
      { kind: "contradiction", memories: [{ content: newer }, { content: older }] },
    ])
    const before = embedder.judgeAsked.length
    expect((await tend()).deeds).toEqual([])
    expect(embedder.judgeAsked.length).toBe(before)
  })

  it("says that it is not done while memories wait for the trained model", async () => {
    const plain = await openMemoryWorld(await create(), 1, { embedder: createToyEmbedder() })
    for (const shelf of ["first", "second", "third"])
      await idOf(plain, `Jars of jam are on the ${shelf} shelf`)
    const embedder = withScriptedJudge(createToyEmbedder(), script)
    const tend = () =>
      runGarden(plain, [suspectUpdates({ ...plain, embedder }, 2)], {
        by: plain.by,
        limit: 100,
        losses: createLossBudget(100),
        signal: new AbortController().signal,
      })
    expect([(await tend()).isDone, (await tend()).isDone]).toEqual([false, true])
  })
})
