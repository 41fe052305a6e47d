import { setImmediate } from "node:timers/promises"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { importText } from "../../src/memory/transfer/import.ts"
import type { Database } from "../../src/storage/database.ts"
import { plainSql, sql } from "../../src/storage/sql.ts"
import { type Figure, median, timed } from "../shared/figures.ts"
import type { MadeUpMemory } from "../shared/made-up-texts.ts"
import type { Both, MeasuredStore } from "./measured-store.ts"
import { by, needsOf } from "./needs.ts"
import type { PlainStore } from "./plain-store.ts"

/** Imports are measured in pieces, and the middle one counts. */
const pieceRows = 1000
/** PostgreSQL builds its graph of vectors while they are saved; after so many it is built at the end instead. */
const builtWhileSaved = 2000
/** As many rows as an import writes in one transaction. */
const plainBatch = 200
/** How many rows are enough to tell the bare driver's rate. */
const plainMeasured = 2000

/** Fills the store by a verbatim import with made-up vectors; tells how many rows a second that manages. */
export async function measureFilling(measured: MeasuredStore, both: Both): Promise<Figure[]> {
  const { rows, talk, store, embedders } = measured
  const rates: number[] = []
  const plain: number[] = []
  const waiting = store.kind === "postgres" && rows > builtWhileSaved ? waitingIndex(both.db) : undefined
  for (let filled = 0; filled < rows; filled += pieceRows) {
    if (filled === builtWhileSaved) await waiting?.remove()
    const memories = Array.from({ length: Math.min(pieceRows, rows - filled) }, () => talk.memory())
    const ms = await timed(() => importAll(both.db, embedders.madeUp, memories))
    if (waiting === undefined || filled < builtWhileSaved) rates.push((1000 * memories.length) / ms)
    const contents = memories.map(({ content }) => content)
    if (filled < plainMeasured) {
      plain.push((1000 * contents.length) / (await timed(() => inBatches(contents, both.plain.addMany))))
    } else await inBatches(contents, both.plain.fill)
    await inBatches(contents, both.plain.fillIndexed)
  }
  const baseline = { name: `plain table, ${plainBatch} rows a transaction`, value: median(plain) }
  const id = `${store.kind}.import.${rows}`
  return [
    { id, value: median(rates), unit: "rows/s", better: "higher", baseline },
    ...(waiting ? [await builtFigure(measured, waiting.build)] : []),
  ]
}

async function builtFigure({ store, rows }: MeasuredStore, build: () => Promise<void>): Promise<Figure> {
  const seconds = (await timed(build)) / 1000
  return { id: `${store.kind}.vector-index.${rows}`, value: seconds, unit: "s", better: "lower" }
}

/** The index over the vectors, taken away and built again as somebody would who fills a large store at once. */
function waitingIndex(db: Database) {
  let definition = ""
  return {
    async remove() {
      const [index] = await db.read<{ name: string; definition: string }>(sql`
        select indexname as name, indexdef as definition from pg_indexes
        where schemaname = current_schema() and indexname like 'vectors_near_%'`)
      if (index === undefined) throw new Error("there is no index over the vectors")
      definition = index.definition
      await db.write((transaction) => transaction.run(plainSql(`drop index ${index.name}`)))
    },
    async build() {
      await db.write(async (transaction) => {
        await transaction.run(plainSql("set local maintenance_work_mem = '1GB'"))
        await transaction.run(plainSql(definition))
      })
    },
  }
}

const comparedRows = 400

/** An import that compares every line with what is known, into the filled store. */
export async function measureComparedImport(measured: MeasuredStore, both: Both): Promise<Figure[]> {
  const { rows, talk, store, embedders, plan } = measured
  const rates: number[] = []
  for (let round = 0; round < plan.rounds; round += 1) {
    const memories = Array.from({ length: comparedRows }, () => talk.memory())
    const ms = await timed(() => importAll(both.db, embedders.madeUp, memories, false))
    rates.push((1000 * comparedRows) / ms)
  }
  const id = `${store.kind}.import-compared.${rows}`
  return [{ id, value: median(rates), unit: "rows/s", better: "higher" }]
}

async function importAll(
  db: Database,
  embedder: Embedder,
  memories: readonly MadeUpMemory[],
  verbatim = true,
): Promise<void> {
  const tally = await importText(needsOf(db, embedder), linesOf(memories), by(), { verbatim })
  const lost = tally.refused + tally.failed
  if (lost > 0) throw new Error(`${lost} made-up memories were not taken: ${tally.problems[0]}`)
}

async function* linesOf(memories: readonly MadeUpMemory[]): AsyncGenerator<string> {
  for (const [index, memory] of memories.entries()) {
    if (index % plainBatch === 0) await setImmediate()
    yield JSON.stringify(memory)
  }
}

async function inBatches(texts: readonly string[], write: PlainStore["addMany"]): Promise<void> {
  for (let from = 0; from < texts.length; from += plainBatch) {
    await write(texts.slice(from, from + plainBatch))
    await setImmediate()
  }
}
