import { setImmediate } from "node:timers/promises"
import type { Database } from "../../src/storage/database.ts"
import { sql } from "../../src/storage/sql.ts"
import { type Figure, timed } from "../shared/figures.ts"
import { createVectors, trulyNearest } from "../shared/made-up-vectors.ts"
import { hold, spreadFigures } from "./contest.ts"
import { type Both, type MeasuredStore, resultLimit } from "./measured-store.ts"

/** The name the made-up vectors are stored under. */
export const vectorModel = "made-up"

const savedTogether = 500
const checkedQueries = 20

/** Saving vectors, finding the nearest, and how many of the truly nearest are found. */
export async function measureVectors(measured: MeasuredStore, both: Both, count: number): Promise<Figure[]> {
  const { plan, store } = measured
  const next = createVectors(2)
  const vectors = Array.from({ length: count }, next)
  const ids = await firstIds(both.db, count)
  const seconds = (await timed(() => saveAll(both.db, ids, vectors))) / 1000
  const outcome = await hold({
    rounds: plan.rounds,
    times: plan.nearestInRound,
    input: next,
    ours: (vector) => nearest(both.db, vector),
  })
  const recall = await recallOf(both.db, ids, vectors, Array.from({ length: checkedQueries }, next))
  const name = `${store.kind}.nearest`
  return [
    {
      id: `${store.kind}.save-vectors.${count}`,
      value: count / seconds,
      unit: "vectors/s",
      better: "higher",
    },
    ...spreadFigures(name, count, outcome),
    { id: `${name}.recall.${count}`, value: recall, unit: "share", better: "higher" },
  ]
}

async function firstIds(db: Database, count: number): Promise<string[]> {
  const rows = await db.read<{ id: string }>(sql`select id from memories order by seq limit ${count}`)
  return rows.map((row) => row.id)
}

async function saveAll(
  db: Database,
  ids: readonly string[],
  vectors: readonly Float32Array[],
): Promise<void> {
  for (let from = 0; from < ids.length; from += savedTogether) {
    const batch = ids.slice(from, from + savedTogether)
    await db.write(async (transaction) => {
      for (const [index, id] of batch.entries()) {
        const vector = vectors[from + index]
        if (vector) await db.search.saveVectors(transaction, vectorModel, [{ id, vector }])
      }
    })
    await setImmediate()
  }
}

async function nearest(db: Database, vector: Float32Array): Promise<string[]> {
  // What was added since may have replaced some.
  const where = sql`m.status in ('active', 'superseded')`
  const found = await db.search.nearest({ model: vectorModel, vector, where, limit: resultLimit })
  if (found.length < resultLimit) throw new Error(`only ${found.length} of ${resultLimit} were found`)
  return found.map((hit) => hit.id)
}

async function recallOf(
  db: Database,
  ids: readonly string[],
  vectors: readonly Float32Array[],
  queries: readonly Float32Array[],
): Promise<number> {
  let right = 0
  for (const query of queries) {
    const found = new Set(await nearest(db, query))
    const wanted = trulyNearest(vectors, query, resultLimit)
    right += wanted.filter((place) => found.has(ids[place] ?? "")).length
  }
  return right / (queries.length * resultLimit)
}
