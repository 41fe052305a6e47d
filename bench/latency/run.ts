import { UserError } from "../../src/base/errors.ts"
import type { Database } from "../../src/storage/database.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"
import { createTalk } from "../shared/made-up-talk.ts"
import { dimensions } from "../shared/made-up-vectors.ts"
import { postgresStores, type StoreMaker, sqliteStores, temporaryFolder } from "../shared/stores.ts"
import { measureAdds } from "./adding.ts"
import { type Embedders, measureEmbedding, openEmbedders } from "./embedders.ts"
import { measureComparedImport, measureFilling } from "./filling.ts"
import { type MeasuredStore, type Plan, withBoth } from "./measured-store.ts"
import { measureMiniSearch } from "./minisearch.ts"
import { measureFirstNearest, measureOpening } from "./opening.ts"
import { measureRetrieval } from "./retrieving.ts"
import { measureVectors } from "./vectors.ts"

/** How long opening, adding, asking and importing take in small and large stores of both databases. */
export const latency: Benchmark = {
  about: "how long opening, adding, asking and importing take, beside the bare driver",
  options: {
    quick: { type: "boolean", help: "1,000 and 5,000 memories only, to see that it works" },
    full: { type: "boolean", help: "100,000 vectors saved one by one in PostgreSQL too: minutes more" },
    sizes: {
      type: "string",
      help: "how many memories instead, such as 1000,1000000; a million takes half an hour",
    },
    only: { type: "string", help: "sqlite or postgres, to leave the other out" },
  },
  async run(bench) {
    const embedders = await openEmbedders(bench)
    bench.say("embedding")
    const figures = await measureEmbedding(embedders)
    for await (const stores of storesOf(bench)) {
      figures.push(...(await measureKind(bench, planOf(bench.options, stores.kind), stores, embedders)))
    }
    return figures
  },
}

function planOf({ quick, full, sizes }: Bench["options"], kind: Database["kind"]): Plan {
  const often = { addsInRound: 100, questionsInRound: 100, nearestInRound: 100 }
  if (quick === true) {
    const vectorsOf: Plan["vectorsOf"] = (_, rows) => (kind === "sqlite" ? rows : rows / 5)
    return { ...often, sizes: [1000, 5000], vectorsOf, rounds: 1, openings: 1 }
  }
  // PostgreSQL builds its graph of vectors while they are saved, a few hundred a second.
  const most = kind === "sqlite" || full === true ? 100_000 : 10_000
  const vectorsOf: Plan["vectorsOf"] = (_, rows) => Math.min(rows, most)
  const plan = { ...often, vectorsOf, rounds: 5, openings: 5 }
  return { ...plan, sizes: typeof sizes === "string" ? sizesFrom(sizes) : [1000, 10_000, 100_000] }
}

function sizesFrom(text: string): Plan["sizes"] {
  const [smallest, ...larger] = text
    .split(",")
    .map(Number)
    .sort((a, b) => a - b)
  if (smallest === undefined || [smallest, ...larger].some((size) => !(Number.isInteger(size) && size > 0))) {
    throw new UserError("usage", `--sizes takes whole numbers such as 1000,100000, not ${text}.`)
  }
  return [smallest, ...larger]
}

async function* storesOf(bench: Bench): AsyncGenerator<StoreMaker> {
  const { only } = bench.options
  if (only !== undefined && only !== "sqlite" && only !== "postgres") {
    throw new UserError("usage", `--only takes sqlite or postgres, not ${only}.`)
  }
  if (only !== "postgres") yield sqliteStores(bench)
  const postgres = only === "sqlite" ? undefined : await postgresStores(bench)
  if (postgres !== undefined) yield postgres
}

async function measureKind(
  bench: Bench,
  plan: Plan,
  stores: StoreMaker,
  embedders: Embedders,
): Promise<Figure[]> {
  const compileCache = temporaryFolder(bench)
  const figures: Figure[] = []
  let vectors = 0
  for (const rows of plan.sizes) {
    const store = await stores.create()
    const talk = createTalk(rows)
    const measured = { plan, store, rows, talk, embedders, compileCache, atEnd: bench.atEnd }
    const say = (text: string) =>
      bench.say(`${store.kind}, ${rows.toLocaleString("en-US")} memories: ${text}`)
    figures.push(...(await measureMemories(measured, say)))
    const count = plan.vectorsOf(store.kind, rows)
    if (count > vectors) figures.push(...(await measureNearest(measured, say)))
    vectors = count
    if (store.kind === "sqlite") figures.push(...(await measureMiniSearch(measured, say)))
  }
  return [...figures, ...growthFigures(figures, plan, stores.kind)]
}

/** In an order in which no measurement spoils the next one. */
async function measureMemories(measured: MeasuredStore, say: (text: string) => void): Promise<Figure[]> {
  const { store } = measured
  say("importing")
  const imported = await withBoth(store, (both) => measureFilling(measured, both))
  const disk = diskFigure(measured, "disk", measured.rows, await store.diskBytes())
  await store.settle()
  say("opening")
  const opened = await measureOpening(measured)
  say("asking")
  const asked = await withBoth(store, (both) => measureRetrieval(measured, both))
  say("adding")
  const added = await withBoth(store, (both) => measureAdds(measured, both))
  say("importing with comparison")
  const compared = await withBoth(store, (both) => measureComparedImport(measured, both))
  return [...asked, ...opened, ...added, ...imported, ...compared, disk]
}

async function measureNearest(measured: MeasuredStore, say: (text: string) => void): Promise<Figure[]> {
  const { store, plan, rows } = measured
  const count = plan.vectorsOf(store.kind, rows)
  say(`saving ${count.toLocaleString("en-US")} vectors and finding the nearest`)
  const before = await store.diskBytes()
  const found = await withBoth(store, (both) => measureVectors(measured, both, count))
  const disk = diskFigure(measured, "disk-vectors", count, (await store.diskBytes()) - before)
  const name = "the 32-bit numbers alone"
  const bare = { name, value: megabytes(count * dimensions * Float32Array.BYTES_PER_ELEMENT) }
  return [...found, ...(await measureFirstNearest(measured, count)), { ...disk, baseline: bare }]
}

function diskFigure({ store }: MeasuredStore, what: string, size: number, bytes: number): Figure {
  return { id: `${store.kind}.${what}.${size}`, value: megabytes(bytes), unit: "MB", better: "lower" }
}

function megabytes(bytes: number): number {
  return bytes / 1e6
}

/** How many times more the larger stores take than the smallest. */
function growthFigures(figures: readonly Figure[], plan: Plan, kind: Database["kind"]): Figure[] {
  const [smallest, ...larger] = plan.sizes
  const of = (id: string) => figures.find((figure) => figure.id === id)?.value
  const acts = [
    `${kind}.open`,
    `${kind}.open-with-model`,
    `${kind}.memory-used`,
    `${kind}.add.p50`,
    ...["retrieve.p50", "retrieve.p95"].map((act) => (kind === "sqlite" ? act : `${kind}.${act}`)),
  ]
  return larger.flatMap((size) =>
    acts.flatMap((act): Figure[] => {
      const small = of(`${act}.${smallest}`)
      const large = of(`${act}.${size}`)
      if (small === undefined || large === undefined) return []
      return [{ id: `${act}.growth.${size}`, value: large / small, unit: "times", better: "lower" }]
    }),
  )
}
