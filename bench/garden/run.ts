import { monitorEventLoopDelay } from "node:perf_hooks"
import { systemClock } from "../../src/base/clock.ts"
import { UserError } from "../../src/base/errors.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import type { GardenReport } from "../../src/memory/garden/garden.ts"
import { runGarden } from "../../src/memory/garden/run-garden.ts"
import { memoryWorks } from "../../src/memory/garden/works.ts"
import { undo } from "../../src/memory/history/undo.ts"
import { createLossBudget } from "../../src/memory/model/agents/losses.ts"
import type { Database } from "../../src/storage/database.ts"
import { loadPairs } from "../contradiction/labelled-pairs.ts"
import { by, needsOf } from "../latency/needs.ts"
import { openStore } from "../latency/open-store.ts"
import { openBenchEmbedder } from "../quality/embedding.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"
import { sqliteStores } from "../shared/stores.ts"
import { measureFacts } from "./facts.ts"
import { areOne, areOpposed, type Outcome, outcomeOf } from "./outcome.ts"
import { type Planted, type PlantedPair, plant } from "./planted.ts"
import { measureRecall } from "./recall.ts"
import { fillStore, graphPrint } from "./store.ts"

const parts = ["passes", "pairs", "recall", "facts"] as const

/** How long a whole pass of the garden takes, and how well it tells what to merge, replace and leave. */
export const garden: Benchmark = {
  about:
    "a whole pass over stores with planted duplicates, contradictions and expired memories, without a model",
  options: {
    only: { type: "string", help: `one of ${parts.join(", ")}` },
    quick: { type: "boolean", help: "1,000 and 10,000 memories only" },
    misses: { type: "boolean", help: "print the facts that were misjudged" },
    show: {
      type: "boolean",
      help: "prints some of what was merged and replaced without having been planted",
    },
  },
  async run(bench) {
    const only = bench.options.only
    if (only !== undefined && !parts.some((part) => part === only))
      throw new UserError("usage", `--only takes ${parts.join(", ")}, not ${only}.`)
    const isWanted = (part: (typeof parts)[number]) => only === undefined || only === part
    const facts = isWanted("facts") ? await measureFacts(bench) : []
    if (only === "facts") return facts
    const embedder = await openBenchEmbedder(bench, "all-MiniLM-L6-v2")
    const pairs = isWanted("pairs") ? await mergedOpposites(bench, embedder) : 0
    const passes = isWanted("passes") ? await measurePasses(bench, embedder) : { merged: 0, figures: [] }
    const recall = isWanted("recall") ? await measureRecall(bench, embedder) : []
    if (only === "recall") return recall
    const merged: Figure = {
      id: "opposites-merged",
      value: pairs + passes.merged,
      unit: "pairs",
      better: "lower",
    }
    return [merged, ...passes.figures, ...facts, ...recall]
  },
}

/** Gardens stores of growing size. */
async function measurePasses(
  bench: Bench,
  embedder: Embedder,
): Promise<{ merged: number; figures: Figure[] }> {
  const sizes = bench.options.quick ? [1000, 10_000] : [1000, 10_000, 100_000]
  const measured: Measured[] = []
  for (const size of sizes)
    measured.push(await withStore(bench, (db) => measurePass(bench, embedder, size, db)))
  const merged = measured.reduce((sum, one) => sum + one.oppositesMerged, 0)
  return { merged, figures: [...measured.flatMap((one) => one.figures), ...growthOf(measured)] }
}

/** Works on until nothing is left to do, without any cap. */
async function wholePass(db: Database, embedder: Embedder): Promise<GardenReport> {
  const report = await onePass(db, embedder)
  if (report.isDone) return report
  const rest = await wholePass(db, embedder)
  return { ...rest, deeds: [...report.deeds, ...rest.deeds] }
}

async function onePass(db: Database, embedder: Embedder): Promise<GardenReport> {
  const cycle = newId(systemRandom, "cyc")
  let count = 0
  const pass = {
    by: () => ({ operation: `${cycle}-${++count}`, actor: "ambient" }),
    limit: 1e9,
    losses: createLossBudget(1e9),
    signal: new AbortController().signal,
  }
  const report = await runGarden({ db }, memoryWorks(needsWith(db, embedder)), pass)
  if (report.warnings.length > 0)
    throw new Error(`the pass did not come to its end: ${report.warnings.join(" ")}`)
  return report
}

function needsWith(db: Database, embedder: Embedder) {
  return { ...needsOf(db, embedder), embedder }
}

interface Measured {
  size: number
  seconds: number
  oppositesMerged: number
  figures: Figure[]
}

/** Works on a new store and closes it whatever happens. */
async function withStore<T>(bench: Bench, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openStore(await sqliteStores(bench).create())
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

async function measurePass(bench: Bench, embedder: Embedder, size: number, db: Database): Promise<Measured> {
  const planted = await plant(size, systemClock.now())
  bench.say(`filling a store with ${size.toLocaleString("en-US")} memories`)
  const ids = await fillStore(db, embedder, planted.memories)
  const before = await graphPrint(db)
  bench.say("gardening")
  const watch = watchMemory()
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const cpu = process.cpuUsage()
  const started = performance.now()
  const report = await wholePass(db, embedder)
  const seconds = (performance.now() - started) / 1000
  loop.disable()
  const { user, system } = process.cpuUsage(cpu)
  const memory = watch.end()
  const again = await timedPass(db, embedder)
  const outcome = await outcomeOf(db, report)
  if (bench.options.show) showUnplanted(bench, planted, ids, outcome)
  bench.say(`${seconds.toFixed(1)} s; taking it all back`)
  const undone = await undoAll(db, report)
  const isRestored = (await graphPrint(db)) === before
  const lower = (id: string, value: number, unit: string): Figure => {
    return { id: `${id}.${size}`, value, unit, better: "lower" }
  }
  const { figures, oppositesMerged } = quality(planted, ids, outcome, size)
  return {
    size,
    seconds,
    oppositesMerged,
    figures: [
      lower("seconds", seconds, "s"),
      lower("cpu-seconds", (user + system) / 1e6, "s"),
      lower("again-seconds", again.seconds, "s"),
      lower("again-changed", again.changed, "changes"),
      lower("memory-added", memory, "MB"),
      lower("longest-turn", loop.max / 1e6, "ms"),
      lower("undo-seconds", undone, "s"),
      { id: `undo-restores.${size}`, value: isRestored ? 1 : 0, unit: "", better: "higher" },
      ...figures,
    ],
  }
}

/** A second pass right after the first, which must find nothing to do. */
async function timedPass(db: Database, embedder: Embedder) {
  const started = performance.now()
  const { deeds } = await wholePass(db, embedder)
  const changed = deeds.reduce((sum, deed) => sum + deed.changed, 0)
  return { changed, seconds: (performance.now() - started) / 1000 }
}

async function undoAll(db: Database, { deeds }: GardenReport): Promise<number> {
  const started = performance.now()
  for (const { operation, changed } of deeds.toReversed())
    if (changed > 0) await undo({ db, clock: systemClock }, by(), operation)
  return (performance.now() - started) / 1000
}

/** How much memory is used at most while something runs, beyond what was used before. */
function watchMemory() {
  globalThis.gc?.()
  const used = () => process.memoryUsage().rss / 2 ** 20
  const first = used()
  let most = first
  const timer = setInterval(() => {
    most = Math.max(most, used())
  }, 20)
  return {
    end() {
      clearInterval(timer)
      return Math.max(most, used()) - first
    },
  }
}

function quality(planted: Planted, ids: readonly string[], outcome: Outcome, size: number) {
  const idOf = (at: number) => ids[at] ?? ""
  const labelled = (...labels: PlantedPair["label"][]) =>
    planted.pairs.filter(({ label }) => labels.includes(label))
  const merged = (pairs: readonly PlantedPair[]) =>
    pairs.filter(({ a, b }) => areOne(outcome, idOf(a), idOf(b))).length
  const opposed = (pairs: readonly PlantedPair[]) =>
    pairs.filter(({ a, b }) => areOpposed(outcome, idOf(a), idOf(b))).length
  const share = (id: string, part: number, whole: number): Figure => {
    return { id: `${id}.${size}`, value: whole === 0 ? 1 : part / whole, unit: "share", better: "higher" }
  }
  const [repeated, paraphrases] = [labelled("repeated"), labelled("paraphrase")]
  const [opposites, others] = [labelled("opposite"), labelled("neither")]
  const rightlyMerged = merged(repeated) + merged(paraphrases)
  const wronglyMerged = merged(opposites) + merged(others)
  const rightlyOpposed = opposed(opposites)
  const wronglyOpposed = opposed(others) + opposed(paraphrases) + opposed(repeated)
  const stale = [...planted.stale].map(idOf)
  const gone = stale.filter((id) => outcome.archived.has(id) || outcome.merged.has(id)).length
  const known = new Set(planted.pairs.flatMap(({ a, b }) => [idOf(a), idOf(b)]))
  const count = (id: string, of: ReadonlyMap<string, string>): Figure => {
    const value = [...of].filter(([one, other]) => !known.has(one) && !known.has(other)).length
    return { id: `${id}.${size}`, value, unit: "memories", better: "lower" }
  }
  return {
    oppositesMerged: merged(opposites),
    figures: [
      share("merged.precision", rightlyMerged, rightlyMerged + wronglyMerged),
      share("merged.recall", merged(repeated), repeated.length),
      share("paraphrases.recall", merged(paraphrases), paraphrases.length),
      share("contradictions.precision", rightlyOpposed, rightlyOpposed + wronglyOpposed),
      share("contradictions.recall", rightlyOpposed, opposites.length),
      share("stale.precision", gone, gone + [...outcome.archived].filter((id) => !stale.includes(id)).length),
      share("stale.recall", gone, stale.length),
      count("unplanted-merged", outcome.merged),
      count("unplanted-replaced", outcome.replaced),
    ],
  }
}

const mostShown = 40

function showUnplanted(bench: Bench, planted: Planted, ids: readonly string[], outcome: Outcome): void {
  const known = new Set(planted.pairs.flatMap(({ a, b }) => [ids[a], ids[b]]))
  const texts = new Map(ids.map((id, at) => [id, planted.memories[at]?.content]))
  for (const [name, map] of [
    ["merged", outcome.merged],
    ["replaced", outcome.replaced],
  ] as const) {
    const some = [...map].filter(([one, other]) => !known.has(one) && !known.has(other))
    for (const [one, other] of some.slice(0, mostShown))
      bench.say(`${name}: ${texts.get(one)} || ${texts.get(other)}`)
  }
}

/** Offers every labelled opposite as a pair of its own place; counts those that became one. */
async function mergedOpposites(bench: Bench, embedder: Embedder): Promise<number> {
  const opposites = loadPairs().filter(({ label }) => label === "opposite")
  bench.say(`offering ${opposites.length} pairs of opposites`)
  const now = systemClock.now()
  const memories = opposites.flatMap(({ older, newer }, index) =>
    [older, newer].map((content, place) => ({
      content,
      project: `pair-${index}`,
      createdAt: now - 1000 + place,
      type: "fact" as const,
      source: "extracted" as const,
    })),
  )
  const { ids, outcome } = await withStore(bench, async (db) => {
    const ids = await fillStore(db, embedder, memories)
    return { ids, outcome: await outcomeOf(db, await wholePass(db, embedder)) }
  })
  return opposites.filter((_, index) => areOne(outcome, ids[2 * index] ?? "", ids[2 * index + 1] ?? ""))
    .length
}

/** With which power of the number of memories the time grows, from one size to the next. */
function growthOf(measured: readonly Measured[]): Figure[] {
  return measured.slice(1).map(({ size, seconds }, index) => {
    const smaller = measured[index]
    const value = smaller ? Math.log(seconds / smaller.seconds) / Math.log(size / smaller.size) : Number.NaN
    return { id: `growth.${size}`, value, unit: "exponent", better: "lower" }
  })
}
