import { describe, expect, test } from "vitest"
import type { Memory } from "../../src/memory/model/memory.ts"
import { requireMemory } from "../../src/memory/model/store/browse.ts"
import { changeMemories } from "../../src/memory/model/store/change.ts"
import { listClusters } from "../../src/memory/topics/clusters/list.ts"
import { organiseScope } from "../../src/memory/topics/clusters/organise.ts"
import { refreshClusters } from "../../src/memory/topics/clusters/refresh.ts"
import type { ClusterScope } from "../../src/memory/topics/clusters/scope.ts"
import { embedMissing } from "../../src/memory/write/vectors.ts"
import type { Database } from "../../src/storage/database.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"
import { createTopicEmbedder, type Subject, sentencesAbout } from "../../testkit/sessions/topics.ts"
import { describeDatabases, otherKind, type TestDatabase } from "../../testkit/setup/databases.ts"
import { type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

type World = Awaited<ReturnType<typeof open>>

async function open(store: TestDatabase, model = "topics") {
  const embedder = createTopicEmbedder(model)
  const world = await openMemoryWorld(store, 1, { embedder })
  const needs = { ...world, model }
  return {
    ...world,
    needs,
    tell: async (subject: Subject, count: number, given: object = {}, from = 0) => {
      const ids: string[] = []
      for (const text of sentencesAbout(subject, count, from)) {
        const told = await world.remember(text, { verbatim: true, ...given })
        if ("id" in told) ids.push(told.id)
      }
      return ids
    },
    refresh: (scope: ClusterScope = null, db: Database = world.db, by = world.by()) =>
      refreshClusters({ ...needs, db }, scope, by).then(({ counts }) => counts),
    clusters: () => listClusters(world, { allProjects: true, members: 100 }),
    projectId: async (name: string) => {
      const [row] = await world.db.read<{ id: string }>(sql`select id from projects where name = ${name}`)
      return row?.id ?? ""
    },
  }
}

/** Changes a memory as an edit does. */
async function change(world: MemoryWorld, id: string, fields: Partial<Memory>): Promise<void> {
  const before = await requireMemory(world.db, id)
  const after = { ...before, ...fields, version: before.version + 1 }
  const entry = { kind: "memory.edited" as const, before, after, at: world.clock.now(), by: world.by() }
  await world.db.write((transaction) => changeMemories(transaction, [entry]))
}

function idsIn(clusters: Awaited<ReturnType<World["clusters"]>>): string[][] {
  return clusters.map(({ members }) => members.map(({ id }) => id).sort()).sort()
}

describeDatabases("Clusters", (create) => {
  test("gather what belongs together, in each scope by itself, and are named after it", async () => {
    const world = await open(await create())
    const network = await world.tell("network", 8)
    const kitchen = await world.tell("kitchen", 7)
    const elsewhere = { project: "elsewhere" }
    await world.tell("network", 6, elsewhere, 100)
    await world.tell("garden", 6, elsewhere)
    await world.remember("nothing to do with anything", { verbatim: true })
    const counts = await world.refresh()
    expect(counts).toEqual({
      model: "topics",
      memories: 16,
      withoutVector: 0,
      clusters: 2,
      members: 15,
      added: 2,
      removed: 0,
    })
    const here = await world.clusters()
    expect(idsIn(here)).toEqual([network, kitchen].map((ids) => ids.toSorted()).sort())
    expect(here.map(({ name }) => name).sort()).toEqual([
      expect.stringContaining("kitchen"),
      expect.stringContaining("network"),
    ])
    const entries = await readJournal(world.db, { kind: "clusters." })
    expect(entries).toMatchObject([{ kind: "clusters.refreshed", subject: "global", data: counts }])
    await world.refresh(await world.projectId("elsewhere"))
    expect((await world.clusters()).map(({ projectName, size }) => [projectName, size])).toEqual([
      [null, 8],
      [null, 7],
      ["elsewhere", 6],
      ["elsewhere", 6],
    ])
    expect(await listClusters(world, { members: 1 })).toMatchObject([
      { size: 8, members: [{}] },
      { size: 7, members: [{}] },
    ])
  })

  test("leave out what only one session or audience may see", async () => {
    const world = await open(await create())
    await world.tell("network", 6)
    await world.tell("garden", 6, { audience: "friends" })
    await world.tell("kitchen", 6, { scope: "session", sessionId: "s1" })
    expect(await world.refresh()).toMatchObject({ memories: 6, clusters: 0 })
  })

  test("keep their identity while they grow; who is gone leaves with the next run", async () => {
    const world = await open(await create())
    const [first = "", second = ""] = await world.tell("network", 8)
    await world.tell("kitchen", 8)
    await world.refresh()
    const before = await world.clusters()
    await change(world, first, { status: "forgotten" })
    await change(world, second, { content: "kitchen matters now" })
    await embedMissing({ db: world.db, embedder: createTopicEmbedder(), tokens: false }, 10)
    await world.tell("garden", 8)
    expect(await world.refresh()).toMatchObject({ clusters: 3, added: 1, removed: 0 })
    const after = await world.clusters()
    expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)))
    const byName = new Map(after.map((one) => [one.name.split(",")[0], one.size]))
    expect(byName).toEqual(
      new Map([
        ["kitchen", 9],
        ["garden", 8],
        ["network", 6],
      ]),
    )
  })

  test("are joined by a new memory that lies within one, when its vector is saved", async () => {
    const world = await open(await create())
    await world.tell("network", 8)
    await world.tell("kitchen", 8)
    await world.refresh()
    const [near = ""] = await world.tell("network", 1, {}, 50)
    await world.tell("network", 1, { project: "elsewhere" }, 51)
    await world.remember("something else altogether", { verbatim: true })
    const late = await openMemoryWorld(await sameStore(world), 2)
    const told = await late.remember("kitchen note 99: the late spoon", { verbatim: true })
    await embedMissing({ db: world.db, embedder: createTopicEmbedder(), tokens: false }, 10)
    const sizes = (await world.clusters()).map(({ size, members }) => [size, members.map(({ id }) => id)])
    expect(sizes).toEqual([
      [9, expect.arrayContaining(["id" in told ? told.id : ""])],
      [9, expect.arrayContaining([near])],
    ])
    // The text says something else now: it belongs there no longer.
    await change(world, near, { content: "about nothing known" })
    expect((await world.clusters()).map(({ size }) => size)).toEqual([9, 8])
  })

  test("of another model are replaced, and its vectors never mixed in", async () => {
    const store = await create()
    const world = await open(store)
    await world.tell("network", 8)
    await world.tell("kitchen", 8)
    await world.refresh()
    const other = await open(store, "other")
    expect(await other.refresh()).toMatchObject({
      model: "other",
      withoutVector: 16,
      clusters: 0,
      removed: 2,
    })
    expect(await world.db.read(sql`select 1 as one from edges where kind = 'in-cluster'`)).toEqual([])
    await embedMissing({ db: world.db, embedder: createTopicEmbedder("other"), tokens: false }, 50)
    expect(await other.refresh()).toMatchObject({ model: "other", withoutVector: 0, clusters: 2 })
  })

  test("do not take in what changed while they were found", async () => {
    const world = await open(await create())
    const [forgotten = "", rewritten = ""] = await world.tell("network", 8)
    await world.tell("kitchen", 8)
    const meanwhile = before(world.db, async () => {
      await change(world, forgotten, { status: "forgotten" })
      await change(world, rewritten, { content: "something new" })
    })
    expect(await world.refresh(null, meanwhile)).toMatchObject({ clusters: 2, members: 14 })
    expect(idsIn(await world.clusters()).flat()).not.toContain(forgotten)
    expect(idsIn(await world.clusters()).flat()).not.toContain(rewritten)
  })

  test("are not written by a run that another one overtook", async () => {
    const world = await open(await create())
    await world.tell("network", 8)
    await world.tell("kitchen", 8)
    const overtaken = before(world.db, () => world.refresh())
    expect(await world.refresh(null, overtaken)).toBe("overtaken")
    expect(await readJournal(world.db, { kind: "clusters." })).toHaveLength(1)
  })

  test("are found once by an operation that is sent twice", async () => {
    const world = await open(await create())
    await world.tell("network", 8, { tags: ["net"] })
    await world.tell("kitchen", 8)
    await world.remember("network note 50: untagged", { verbatim: true })
    const by = world.by()
    const first = await organiseScope(world.needs, null, by)
    expect(first).toMatchObject({ outcome: "refreshed", clusters: 2, tags: { added: 1, removed: 0 } })
    expect(await organiseScope(world.needs, null, by)).toEqual(first)
    expect(await readJournal(world.db, { kind: "clusters." })).toHaveLength(1)
  })

  describe("are derived", () => {
    test("undo passes them by, and bringing a memory back brings no dead membership", async () => {
      const world = await open(await create())
      await world.tell("kitchen", 8)
      const ids = await world.tell("network", 8)
      await organiseScope(world.needs, null, { ...world.by(), actor: "daemon" })
      const undone = await world.undo()
      expect(undone.summary).toMatch(/^network note 7/)
      expect(idsIn(await world.clusters()).flat()).not.toContain(ids.at(-1))
      await world.refresh()
      await world.undo(undone.operation)
      const edges = await world.db.read(
        sql`select target from edges where kind = 'in-cluster' and source = ${ids.at(-1) ?? ""}`,
      )
      expect(edges).toEqual([])
      await embedMissing({ db: world.db, embedder: createTopicEmbedder(), tokens: false }, 10)
      expect(idsIn(await world.clusters()).flat()).toContain(ids.at(-1))
    })

    test("an export carries them with everything else, to either database and back", async () => {
      const store = await create()
      const world = await open(store)
      await world.tell("network", 8, { tags: ["net"] })
      await world.remember("network note 50: untagged", { verbatim: true })
      await world.tell("kitchen", 8, { project: "elsewhere", files: ["src/stove/oven.ts"] })
      await world.tell("garden", 20, { project: "elsewhere" })
      await organiseScope(world.needs, null, world.by())
      await organiseScope(world.needs, await world.projectId("elsewhere"), world.by())
      const exported = await world.export()
      const { clusters, edges } = JSON.parse(exported)
      expect(clusters).toHaveLength(2)
      expect(edges.filter(({ kind }: { kind: string }) => kind === "inferred-tag")).not.toEqual([])
      const copy = await openMemoryWorld(await otherKind(store.kind))
      expect(await copy.import(exported)).toMatchObject({ saved: 37, failed: 0 })
      expect(await copy.export()).toBe(exported)
      const back = await openMemoryWorld(await create())
      await back.import(await copy.export())
      expect(await back.export()).toBe(exported)
      expect(await back.import(exported)).toMatchObject({ saved: 0, unchanged: 37 })
      expect(await back.export()).toBe(exported)
    })
  })

  /** Another view of a world's store, for a process without a model. */
  async function sameStore(world: World): Promise<TestDatabase> {
    return { kind: world.db.kind, url: "", open: async () => world.db }
  }
})

/** A database where something happens right before the first write. */
function before(db: Database, act: () => Promise<unknown>): Database {
  let isDone = false
  return {
    ...db,
    write: async (work) => {
      if (!isDone) {
        isDone = true
        await act()
      }
      return db.write(work)
    },
  }
}
