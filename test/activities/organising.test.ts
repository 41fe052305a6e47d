import { expect, test } from "vitest"
import { startOrganising } from "../../src/activities/organising.ts"
import { selectMemories } from "../../src/memory/model/store/store.ts"
import { organiseScope } from "../../src/memory/topics/clusters/organise.ts"
import { createRetrievalLog } from "../../src/memory/topics/clusters/spans.ts"
import { embedMissing } from "../../src/memory/write/vectors.ts"
import type { Database } from "../../src/storage/database.ts"
import { appendEntry, readJournal } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"
import { createTopicEmbedder, sentencesAbout } from "../../testkit/sessions/topics.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const minute = 60_000

describeDatabases("Organising in the background", (create) => {
  async function open(minutes?: number, hasModel = true) {
    const embedder = createTopicEmbedder()
    const config = minutes === undefined ? {} : { memory: { organise_every_minutes: minutes } }
    const world = await openMemoryWorld(await create(), 1, { config, ...(hasModel ? { embedder } : {}) })
    const watched = watch(world.db)
    const { db } = watched
    const retrievals = createRetrievalLog()
    const stop = startOrganising({ ...world, db, embedder, retrievals })
    let told = 0
    return {
      ...world,
      embedder,
      retrievals,
      stop,
      watched,
      tell: async (count: number) => {
        for (const subject of ["network", "kitchen"] as const) {
          for (const text of sentencesAbout(subject, count / 2, told))
            await world.remember(text, { verbatim: true })
        }
        told += count
        watched.committed()
      },
      /** Lets time pass, and everything that begins by it come to its end. */
      go: async (ms: number) => {
        await watched.settled()
        await world.clock.advance(ms)
        await watched.settled()
      },
      runs: async () => (await readJournal(world.db, { kind: "clusters." })).map(({ data }) => data),
    }
  }

  test("begins when enough changed and nobody writes any more, and not before", async () => {
    const { tell, go, runs, stop, clock } = await open()
    await tell(18)
    await go(minute)
    expect(await runs()).toEqual([])
    await tell(2)
    expect(await runs()).toEqual([])
    await go(minute)
    expect(await runs()).toMatchObject([{ memories: 20, clusters: 2 }])
    await stop()
    expect(clock.waiting).toBe(0)
  })

  test("is done no more often than allowed, and only where a tenth of the place changed", async () => {
    const { tell, go, runs, stop } = await open(60)
    await tell(20)
    await go(minute)
    await tell(20)
    await go(30 * minute)
    expect(await runs()).toHaveLength(1)
    await go(30 * minute)
    expect(await runs()).toMatchObject([{ memories: 20 }, { memories: 40 }])
    await tell(180)
    await go(2 * 60 * minute)
    expect(await runs()).toHaveLength(3)
    await tell(20)
    await go(2 * 60 * minute)
    expect(await runs()).toHaveLength(3)
    await tell(8)
    await go(2 * 60 * minute)
    expect(await runs()).toHaveLength(4)
    await stop()
  })

  test("waits for vectors, and costs one read when nothing happened", async () => {
    const world = await open(30, false)
    await world.tell(20)
    await world.go(10 * minute)
    expect(await world.runs()).toEqual([])
    await embedMissing({ db: world.db, embedder: world.embedder, tokens: false }, 50)
    await world.go(2 * minute)
    expect(await world.runs()).toMatchObject([{ withoutVector: 0, clusters: 2 }])
    world.watched.committed()
    await world.go(minute)
    const before = world.watched.reads()
    world.watched.committed()
    await world.go(60 * minute)
    expect(world.watched.reads() - before).toBe(1)
    await world.stop()
  })

  test("does not repeat what somebody else did meanwhile", async () => {
    const world = await open(30)
    await world.tell(20)
    await organiseScope({ ...world, model: world.embedder.model }, null, world.by())
    await world.go(120 * minute)
    expect(await world.runs()).toHaveLength(1)
    await world.stop()
  })

  test("finds clusters anew after fifty retrievals that span them, by recall or by search", async () => {
    const world = await open(30)
    await world.tell(20)
    await world.go(minute)
    expect(await world.runs()).toHaveLength(1)
    const find = async (subject: string) =>
      (await selectMemories(world.db, sql`m.content like ${`${subject}%`}`, sql`limit 2`)).map(({ id }) => id)
    const [network, kitchen] = [await find("network"), await find("kitchen")]
    const surface = (memories: readonly string[], times: number) =>
      world.db.write(async (transaction) => {
        for (let time = 0; time < times; time += 1)
          await appendEntry(transaction, {
            ...world.by(),
            at: world.clock.now(),
            kind: "recall.surfaced",
            subject: "codex:one",
            data: { turn: time, memories },
          })
      })
    await surface(network, 80)
    await surface([...network, ...kitchen], 30)
    world.watched.committed()
    await world.go(60 * minute)
    expect(await world.runs()).toHaveLength(1)
    for (let time = 0; time < 20; time += 1) world.retrievals.note([...network.slice(1), ...kitchen.slice(1)])
    world.watched.committed()
    await world.go(60 * minute)
    expect(await world.runs()).toHaveLength(2)
    await surface([...network, ...kitchen], 49)
    world.watched.committed()
    await world.go(60 * minute)
    expect(await world.runs()).toHaveLength(2)
    await world.stop()
  })

  test("is off when it is switched off", async () => {
    const { tell, go, runs, stop, clock } = await open(0)
    await tell(40)
    await go(120 * minute)
    expect(await runs()).toEqual([])
    expect(clock.waiting).toBe(0)
    await stop()
  })
})

/** A database that tells of commits when it is told to, counts reads, and knows when nobody waits for it. */
function watch(real: Database) {
  let reads = 0
  let running = 0
  let listener = () => {}
  const noted = async <T>(work: Promise<T>): Promise<T> => {
    running += 1
    return work.finally(() => {
      running -= 1
    })
  }
  const db: Database = {
    ...real,
    read: (query) => {
      reads += 1
      return noted(real.read(query))
    },
    write: (work) => noted(real.write(work)),
    search: { ...real.search, vectorsOf: (page) => noted(real.search.vectorsOf(page)) },
    onCommit: (given) => {
      listener = given
      return () => {
        listener = () => {}
      }
    },
  }
  return {
    db,
    reads: () => reads,
    committed: () => listener(),
    /** Waits until nothing has been asked of the database for many turns of the process. */
    settled: async () => {
      for (let idle = 0; idle < 100; idle = running > 0 ? 0 : idle + 1)
        await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
