import { monitorEventLoopDelay } from "node:perf_hooks"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { newId, newTimedId, systemRandom } from "../../src/base/random.ts"
import { configSchema } from "../../src/config/schema.ts"
import { detailsOf, type Memory, newMemorySchema } from "../../src/memory/model/memory.ts"
import { changeMemories } from "../../src/memory/model/store/change.ts"
import { assignToClusters, createClusterCache } from "../../src/memory/topics/clusters/join-clusters.ts"
import { organiseScope } from "../../src/memory/topics/clusters/organise.ts"
import type { Database } from "../../src/storage/database.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { sql } from "../../src/storage/sql.ts"
import { type Bench, type Figure, median, timed } from "../shared/figures.ts"
import { createTexts } from "../shared/made-up-texts.ts"
import { postgresStores, type StoreMaker, sqliteStores } from "../shared/stores.ts"
import { plantVectors } from "./planted.ts"

const model = "planted"
const needs = { clock: systemClock, random: systemRandom, log: silentLog }
const by = (actor: string) => ({ operation: newId(systemRandom, "op"), actor })

/** How long organising one place takes in a store of each kind: the first run, and one more after it. */
export async function measureStores(bench: Bench, sizes: readonly number[]): Promise<Figure[]> {
  const makers = [sqliteStores(bench), await postgresStores(bench)].filter((maker) => maker !== undefined)
  const figures: Figure[] = []
  for (const maker of makers) {
    for (const size of sizes) figures.push(...(await measureStore(bench, maker, size)))
  }
  return figures
}

async function measureStore(bench: Bench, maker: StoreMaker, size: number): Promise<Figure[]> {
  bench.say(`organising ${size.toLocaleString("en-US")} memories in ${maker.kind}`)
  const { url } = await maker.create()
  const db = await openDatabase({ ...needs, url, file: "" })
  try {
    await fill(db, size)
    const watched = watchWrites(db)
    const loop = monitorEventLoopDelay({ resolution: 1 })
    const run = () =>
      organiseScope({ ...needs, db: watched.db, config: configSchema.parse({}), model }, null, by("bench"))
    loop.enable()
    const first = await timed(run)
    loop.disable()
    const again = await timed(run)
    const name = (what: string) => `organise.${maker.kind}.${what}.${size}`
    const lower = (what: string, value: number, unit: string): Figure => {
      return { id: name(what), value, unit, better: "lower" }
    }
    return [
      lower("seconds", first / 1000, "s"),
      lower("again-seconds", again / 1000, "s"),
      lower("longest-write", watched.longest(), "ms"),
      lower("longest-turn", loop.max / 1e6, "ms"),
      lower("join", await measureJoining(db), "ms"),
    ]
  } finally {
    await db.close()
  }
}

/** What joining adds to saving one vector, with the middles known. */
async function measureJoining(db: Database): Promise<number> {
  const cache = createClusterCache()
  const alone = sql`not exists (select 1 from edges e where e.source = m.id and e.kind = 'in-cluster')`
  const page = await db.search.vectorsOf({ model, where: alone, after: 0, limit: 50 })
  const rows = page.map(({ id, vector }) => [{ id, vector }])
  const times: number[] = []
  await db.write(async (transaction) => {
    for (const one of rows) times.push(await timed(() => assignToClusters(cache, transaction, model, one)))
  })
  return median(times)
}

/** A database that knows how long its longest write took. */
function watchWrites(real: Database) {
  let longest = 0
  const db: Database = {
    ...real,
    write: (work) =>
      real.write(async (transaction) => {
        const started = performance.now()
        const result = await work(transaction)
        longest = Math.max(longest, performance.now() - started)
        return result
      }),
  }
  return { db, longest: () => longest }
}

/** Saves that many memories of one place, with vectors around topics. */
async function fill(db: Database, size: number): Promise<void> {
  const texts = createTexts(size)
  const { vectors } = plantVectors(size)
  for (let from = 0; from < size; from += 200) {
    const batch = vectors.slice(from, from + 200).map((vector) => ({ vector, memory: made(texts.memory()) }))
    await db.write(async (transaction) => {
      await changeMemories(
        transaction,
        batch.map(({ memory }) => {
          return { kind: "memory.saved", before: null, after: memory, at: memory.createdAt, by: by("bench") }
        }),
      )
      const saved = batch.map(({ memory, vector }) => ({ id: memory.id, vector }))
      await db.search.saveVectors(transaction, model, saved)
    })
  }
}

function made(given: Parameters<typeof newMemorySchema.parse>[0]): Memory {
  const memory = newMemorySchema.parse(given)
  const at = memory.createdAt ?? 0
  return {
    id: newTimedId(systemRandom, at, "m"),
    version: 1,
    content: memory.content,
    type: memory.type,
    scope: "global",
    project: null,
    tags: memory.tags.toSorted(),
    status: "active",
    supersededBy: null,
    source: memory.source,
    sourceId: null,
    sessionId: null,
    messageIndex: null,
    createdAt: at,
    updatedAt: at,
    accessedAt: null,
    verifiedAt: null,
    accessCount: 0,
    strength: 1,
    confidence: 1,
    trust: 1,
    audience: null,
    triggers: [],
    details: detailsOf(memory),
  }
}
