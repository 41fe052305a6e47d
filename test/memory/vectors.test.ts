import { expect, test } from "vitest"
import { startEmbedding } from "../../src/activities/embedding.ts"
import { retrieve } from "../../src/memory/find/retrieve.ts"
import { createClusterCache } from "../../src/memory/topics/clusters/join-clusters.ts"
import { editMemory } from "../../src/memory/write/change/edit.ts"
import { forget } from "../../src/memory/write/change/forget-restore.ts"
import type { Remembered } from "../../src/memory/write/remember.ts"
import { embedMissing } from "../../src/memory/write/vectors.ts"
import { sql } from "../../src/storage/sql.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { createToyEmbedder, type ToyEmbedder } from "../../testkit/toy-embedder.ts"
import { type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

function idOf(remembered: Remembered): string {
  if (remembered.outcome === "refused") throw new Error(remembered.reason)
  return remembered.id
}

/** Which memories have vectors of which model, and which have word vectors. */
async function vectorsIn({ db }: MemoryWorld) {
  const read = (table: ReturnType<typeof sql>) =>
    db.read<{ id: string; model: string }>(
      sql`select m.id as id, v.model as model from ${table} v join memories m on m.seq = v.seq order by v.model, m.seq`,
    )
  const pairs = (rows: { id: string; model: string }[]) => rows.map(({ id, model }) => `${model} ${id}`)
  return { whole: pairs(await read(sql`vectors`)), words: pairs(await read(sql`token_vectors`)) }
}

/** Lets the background work until it says that it is done. */
async function embedInBackground(world: MemoryWorld, embedder: ToyEmbedder, memories: number): Promise<void> {
  const done = Promise.withResolvers<void>()
  let left = memories
  const log = {
    ...world.log,
    info(_: string, fields?: Record<string, unknown>) {
      left -= Number(fields?.memories ?? 0)
      if (left <= 0) done.resolve()
    },
  }
  const stop = startEmbedding({ clusters: createClusterCache(), ...world, embedder, log })
  await done.promise
  await stop()
}

/** Ids by likeness to a question, with the cosines. */
function nearest(world: MemoryWorld, embedder: ToyEmbedder, text: string) {
  return embedder.embed([text]).then(([one]) =>
    world.db.search.nearest({
      model: embedder.model,
      vector: one?.vector ?? new Float32Array(),
      where: sql`true`,
      limit: 50,
    }),
  )
}

/** Lets time go by until something has happened; when the database tells of a commit is its own affair. */
async function advanceUntil(world: MemoryWorld, happened: Promise<void>): Promise<void> {
  let isDone = false
  void happened.then(() => {
    isDone = true
  })
  while (!isDone) {
    await world.clock.advance(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describeDatabases("Vectors", (create) => {
  test("another model embeds everything anew in the background, and the two are never mixed", async () => {
    const store = await create()
    const [first, second] = [createToyEmbedder(), createToyEmbedder({ model: "toy/2" })]
    const world = await openMemoryWorld(store, 1, { embedder: first })
    const ids: string[] = []
    for (let index = 0; index < 40; index += 1) {
      ids.push(idOf(await world.remember(`Kettle number ${index} whistles`, { verbatim: true })))
    }
    const before = await vectorsIn(world)
    expect(before.whole).toEqual(ids.map((id) => `toy/1 ${id}`))
    expect(await nearest(world, second, "Kettle")).toEqual([])
    await embedInBackground(world, second, 40)
    const after = await vectorsIn(world)
    expect(after.whole).toEqual([...before.whole, ...ids.map((id) => `toy/2 ${id}`)])
    expect(after.words).toEqual(after.whole)
    for (const embedder of [first, second]) {
      const found = await nearest(world, embedder, "Kettle number 7 whistles")
      expect(found).toHaveLength(40)
      const [best] = found
      expect(best?.id).toBe(ids[7])
      expect(best?.score).toBeCloseTo(1, 4)
    }
    const answer = await retrieve({ ...world, embedder: second }, { query: "kettle number 7", limit: 3 })
    expect(answer.hits[0]?.memory.id).toBe(ids[7])
    expect(second.asked.filter((text) => text === "Kettle number 7 whistles")).toHaveLength(2)
  })

  test("what is saved without a vector gets one as soon as there is an embedder again", async () => {
    let isBroken = true
    const embedder = createToyEmbedder({
      before() {
        if (isBroken) throw new Error("no connection")
      },
    })
    const world = await openMemoryWorld(await create(), 1, { embedder })
    const id = idOf(await world.remember("Kettles whistle"))
    expect((await vectorsIn(world)).whole).toEqual([])
    isBroken = false
    await embedInBackground(world, embedder, 1)
    expect(await vectorsIn(world)).toEqual({ whole: [`toy/1 ${id}`], words: [`toy/1 ${id}`] })
  })

  test("the background notices what is saved without a vector later, and tries again after a failure", async () => {
    const world = await openMemoryWorld(await create())
    let fails = 1
    const again = Promise.withResolvers<void>()
    const embedder = createToyEmbedder({
      before() {
        if (fails > 0) {
          fails -= 1
          throw new Error("no connection")
        }
      },
    })
    const warned = Promise.withResolvers<void>()
    const log = { ...world.log, warn: () => warned.resolve(), info: () => again.resolve() }
    const stop = startEmbedding({ clusters: createClusterCache(), ...world, embedder, log })
    const id = idOf(await world.remember("Kettles whistle"))
    await advanceUntil(world, warned.promise)
    expect((await vectorsIn(world)).whole).toEqual([])
    await advanceUntil(world, again.promise)
    await stop()
    expect((await vectorsIn(world)).whole).toEqual([`toy/1 ${id}`])
  })

  test("a text that is edited gets the vector of what it says now", async () => {
    const embedder = createToyEmbedder()
    const world = await openMemoryWorld(await create(), 1, { embedder })
    const id = idOf(await world.remember("Kettles whistle"))
    await world.act((needs, by) => editMemory(needs, id, { content: "Violins need rosin" }, by))
    expect(await vectorsIn(world)).toEqual({ whole: [], words: [] })
    await embedInBackground(world, embedder, 1)
    expect((await nearest(world, embedder, "Violins need rosin"))[0]?.score).toBeCloseTo(1, 4)
    expect((await nearest(world, embedder, "Kettles whistle"))[0]?.score).toBeLessThan(0.9)
    await world.act((needs, by) => editMemory(needs, id, { tags: ["music"] }, by))
    expect((await vectorsIn(world)).whole).toEqual([`toy/1 ${id}`])
  })

  test("a text that changes while it is embedded does not get the vector of what it said before", async () => {
    const world = await openMemoryWorld(await create())
    const id = idOf(await world.remember("Kettles whistle"))
    const embedder = createToyEmbedder({
      async before([text]) {
        if (text !== "Kettles whistle") return
        await world.act((needs, by) => editMemory(needs, id, { content: "Violins need rosin" }, by))
      },
    })
    await embedMissing({ db: world.db, embedder, tokens: true }, 10)
    expect(await vectorsIn(world)).toEqual({ whole: [], words: [] })
    expect(await embedMissing({ db: world.db, embedder, tokens: true }, 10)).toBe(1)
    expect((await nearest(world, embedder, "Violins need rosin"))[0]?.score).toBeCloseTo(1, 4)
  })

  test("undo takes the vector with the memory, and undoing that gives it its vector again", async () => {
    const embedder = createToyEmbedder()
    const world = await openMemoryWorld(await create(), 1, { embedder })
    const id = idOf(await world.remember("Kettles whistle"))
    const undone = await world.undo()
    expect(await vectorsIn(world)).toEqual({ whole: [], words: [] })
    expect(await nearest(world, embedder, "Kettles whistle")).toEqual([])
    await world.undo(undone.operation)
    await embedInBackground(world, embedder, 1)
    expect(await vectorsIn(world)).toEqual({ whole: [`toy/1 ${id}`], words: [`toy/1 ${id}`] })
    expect(await nearest(world, embedder, "Kettles whistle")).toMatchObject([{ id }])
  })

  test("what is forgotten is not embedded, what was replaced is", async () => {
    const embedder = createToyEmbedder()
    const world = await openMemoryWorld(await create())
    const old = idOf(await world.remember("The port is 8080"))
    const now = idOf(await world.remember("The port is 9090"))
    const gone = idOf(await world.remember("Kettles whistle"))
    await world.act((needs, by) => forget(needs, [gone], by))
    expect(await embedMissing({ db: world.db, embedder, tokens: false }, 10)).toBe(2)
    expect((await vectorsIn(world)).whole).toEqual([old, now].map((id) => `toy/1 ${id}`))
    expect(await embedMissing({ db: world.db, embedder, tokens: false }, 10)).toBe(0)
  })

  test("no word vectors are kept where they are switched off, and search works without them", async () => {
    const embedder = createToyEmbedder()
    const config = { embedding: { word_vectors: false } }
    const world = await openMemoryWorld(await create(), 1, { embedder, config })
    const id = idOf(await world.remember("Kettles whistle"))
    await world.act((needs, by) => editMemory(needs, id, { content: "Old kettles whistle" }, by))
    await embedInBackground(world, embedder, 1)
    expect(await vectorsIn(world)).toEqual({ whole: [`toy/1 ${id}`], words: [] })
    const { hits } = await retrieve(world, { query: "Which kettles whistle?", limit: 3 })
    expect(hits).toMatchObject([{ via: ["text", "meaning"] }])
  })
})
