import { UserError } from "../src/base/errors.ts"
import type { Database } from "../src/storage/database.ts"
import type { Bench, Benchmark, Figure } from "./figures.ts"
import { type MeasuredStore, type Plan, withBoth } from "./latency/measured-store.ts"
import { measureFirstNearest, measureOpening } from "./latency/opening.ts"
import { measureAdds, measureImport, measureSearches } from "./latency/texts.ts"
import { measureVectors } from "./latency/vectors.ts"
import { createTexts } from "./made-up-texts.ts"
import { dimensions } from "./made-up-vectors.ts"
import { postgresStores, type StoreMaker, sqliteStores, temporaryFolder } from "./stores.ts"

/** How long opening, adding, searching and importing take in small and large stores of both databases. */
export const latency: Benchmark = {
  about: "how long opening, adding, searching and importing take, beside the bare driver",
  options: {
    quick: { type: "boolean", help: "1,000 and 5,000 memories only, to see that it works" },
    full: { type: "boolean", help: "100,000 vectors in PostgreSQL too, which takes minutes more" },
    only: { type: "string", help: "sqlite or postgres, to leave the other out" },
  },
  async run(bench) {
    const plan = planOf(bench.options)
    const figures: Figure[] = []
    for await (const stores of storesOf(bench)) figures.push(...(await measureKind(bench, plan, stores)))
    return figures
  },
}

function planOf({ quick, full }: Bench["options"]): Plan {
  const often = { addsInRound: 200, searchesInRound: 100, sentencesInRound: 10 }
  if (quick === true) {
    const vectorsOf: Plan["vectorsOf"] = (kind, rows) => (kind === "sqlite" ? rows : rows / 5)
    return { ...often, sizes: [1000, 5000], vectorsOf, rounds: 1, openings: 1 }
  }
  // PostgreSQL builds its graph of vectors while they are saved, a few hundred a second.
  const vectorsOf: Plan["vectorsOf"] = (kind, rows) =>
    kind === "sqlite" || full === true ? rows : Math.min(rows, 10_000)
  return { ...often, sizes: [1000, 100_000], vectorsOf, rounds: 3, openings: 5 }
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

async function measureKind(bench: Bench, plan: Plan, stores: StoreMaker): Promise<Figure[]> {
  const compileCache = temporaryFolder(bench)
  const figures: Figure[] = []
  for (const rows of plan.sizes) {
    const store = await stores.create()
    const measured = { plan, store, rows, texts: createTexts(rows), compileCache, atEnd: bench.atEnd }
    const say = (text: string) =>
      bench.say(`${store.kind}, ${rows.toLocaleString("en-US")} memories: ${text}`)
    figures.push(...(await measureTexts(measured, say)), ...(await measureNearest(measured, say)))
  }
  return [...figures, ...growthFigures(figures, plan, stores.kind)]
}

/** In an order in which no measurement spoils the next one. */
async function measureTexts(measured: MeasuredStore, say: (text: string) => void): Promise<Figure[]> {
  const { store } = measured
  say("importing")
  const imported = await withBoth(store, (both) => measureImport(measured, both))
  const disk = diskFigure(measured, "disk", measured.rows, await store.diskBytes())
  await store.settle()
  say("opening")
  const opened = await measureOpening(measured)
  say("adding")
  const added = await withBoth(store, (both) => measureAdds(measured, both))
  say("searching")
  const searched = await withBoth(store, (both) => measureSearches(measured, both))
  return [...opened, ...added, ...searched, ...imported, disk]
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

/** How many times longer the largest store takes than the smallest. */
function growthFigures(figures: readonly Figure[], plan: Plan, kind: Database["kind"]): Figure[] {
  const [smallest] = plan.sizes
  const largest = plan.sizes.at(-1) ?? smallest
  const of = (id: string) => figures.find((figure) => figure.id === `${kind}.${id}`)?.value ?? Number.NaN
  const growth = (act: string, small: string, large: string): Figure => {
    return { id: `${kind}.${act}.growth`, value: of(large) / of(small), unit: "times", better: "lower" }
  }
  const middles = ["add", "search", "search-sentence"].map((act) =>
    growth(act, `${act}.p50.${smallest}`, `${act}.p50.${largest}`),
  )
  const few = `nearest.p50.${plan.vectorsOf(kind, smallest)}`
  const many = `nearest.p50.${plan.vectorsOf(kind, largest)}`
  return [growth("open", `open.${smallest}`, `open.${largest}`), ...middles, growth("nearest", few, many)]
}
