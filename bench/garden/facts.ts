import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { verifyFacts } from "../../src/coding/verify/facts.ts"
import { configSchema } from "../../src/config/schema.ts"
import { runGarden } from "../../src/memory/garden/run-garden.ts"
import { createLossBudget } from "../../src/memory/model/agents/losses.ts"
import type { Memory } from "../../src/memory/model/memory.ts"
import { newMemorySchema } from "../../src/memory/model/memory.ts"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { findMemories } from "../../src/memory/model/store/store.ts"
import { remember } from "../../src/memory/write/remember.ts"
import { openOffLimits } from "../../src/privacy/files/off-limits.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import type { Bench, Figure } from "../shared/figures.ts"
import { buildShop } from "./shop-repository.ts"

/** A sentence about the shop: whether it is true now, was once, cannot be looked up, or denies something. */
interface Told {
  /** What the reader was mended by, or what nothing was changed after. */
  set: "mended" | "untouched"
  label: "true" | "stale" | "none" | "denied"
  kind: string
  text: string
}

type Outcome = "confirmed" | "stale" | "unknown"

/** Long ago enough that every memory is due. */
const monthMs = 30 * 86_400_000

/** How well stale facts are told from true ones: a repository with its history is made, and gardened. */
export async function measureFacts(bench: Bench): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "reverie-facts-"))
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const root = mkdtempSync(join(folder, "shop-"))
  buildShop(root)
  const told = readTold()
  const needs = await openNeeds(join(folder, "reverie.db"))
  bench.atEnd(() => needs.db.close())
  const ids = await rememberTold(needs, told, root)
  const started = performance.now()
  const pass = {
    by: operations(),
    limit: 10_000,
    losses: createLossBudget(10_000),
    signal: new AbortController().signal,
  }
  const report = await runGarden(needs, [verifyFacts(needs)], pass)
  const seconds = (performance.now() - started) / 1000
  for (const warning of report.warnings) bench.say(warning)
  const memories = await findMemories(needs.db, ids)
  const judged = told.map((one, index) => ({ ...one, outcome: outcomeOf(memories.get(ids[index] ?? "")) }))
  if (bench.options.misses === true) sayMisses(bench, judged)
  return figuresOf(judged, seconds)
}

function readTold(): Told[] {
  const file = new URL("../data/stale-facts.jsonl", import.meta.url)
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Told)
}

async function openNeeds(file: string) {
  const clock = systemClock
  const random = systemRandom
  const log = silentLog
  const db = await openDatabase({ url: "", file, clock, random, log })
  const config = configSchema.parse({})
  const screen = openScreen({ clock }, config.privacy)
  const projects = createProjectFinder({ clock })
  const offLimits = openOffLimits({ clock })
  return {
    db,
    clock,
    random,
    log,
    config,
    screen,
    projects,
    offLimits,
    install: "bench",
    embedder: undefined,
  }
}

async function rememberTold(
  needs: Awaited<ReturnType<typeof openNeeds>>,
  told: readonly Told[],
  root: string,
): Promise<string[]> {
  const createdAt = needs.clock.now() - monthMs
  const ids: string[] = []
  for (const [index, { text }] of told.entries()) {
    const about = { project: root, source: "extracted", confidence: 0.8, createdAt, verbatim: true }
    const by = { operation: `op_bench_${index}`, actor: "bench" }
    const remembered = await remember(needs, newMemorySchema.parse({ content: text, ...about }), by)
    ids.push("id" in remembered ? remembered.id : "")
  }
  return ids
}

function operations() {
  let count = 0
  return () => {
    count += 1
    return { operation: `cy_bench-${count}`, actor: "ambient" }
  }
}

function outcomeOf(memory: Memory | undefined): Outcome {
  if (memory === undefined) return "unknown"
  if (memory.status === "superseded" || memory.details.outdated) return "stale"
  return memory.verifiedAt === null ? "unknown" : "confirmed"
}

type Judged = Told & { outcome: Outcome }

function sayMisses(bench: Bench, judged: readonly Judged[]): void {
  const wanted = { true: "confirmed", stale: "stale", none: "unknown", denied: "unknown" }
  for (const { label, kind, text, outcome } of judged)
    if (outcome !== wanted[label]) bench.say(`${label} (${kind}) found ${outcome}: ${text}`)
}

function figuresOf(judged: readonly Judged[], seconds: number): Figure[] {
  const stale = judged.filter(({ label }) => label === "stale")
  const kinds = [...new Set(stale.map(({ kind }) => kind))]
  return [
    ...qualityOf("facts", judged),
    ...qualityOf(
      "facts.untouched",
      judged.filter(({ set }) => set === "untouched"),
    ),
    share("facts.denied-flagged", judged, { label: "denied" }, "stale", "lower"),
    ...kinds.map((kind) => share(`facts.${kind}.recall`, judged, { label: "stale", kind }, "stale")),
    { id: "facts.memories", value: judged.length, unit: "memories", better: "higher" },
    { id: "facts.seconds", value: seconds, unit: "s", better: "lower" },
  ]
}

function qualityOf(id: string, judged: readonly Judged[]): Figure[] {
  const flagged = judged.filter(({ outcome }) => outcome === "stale")
  const confirmed = judged.filter(({ outcome }) => outcome === "confirmed")
  const wrongly = confirmed.filter(({ label }) => label === "stale" || label === "none")
  return [
    share(`${id}.precision`, flagged, {}, "stale", "higher", "stale"),
    share(`${id}.recall`, judged, { label: "stale" }, "stale"),
    percent(`${id}.confirmed-wrongly`, wrongly.length, confirmed.length, "lower"),
    share(`${id}.confirmed`, judged, { label: "true" }, "confirmed"),
  ]
}

/** How many of those that are meant came out so, and are labelled so where a label is asked for. */
function share(
  id: string,
  judged: readonly Judged[],
  meant: Partial<Told>,
  outcome: Outcome,
  better: Figure["better"] = "higher",
  label?: Told["label"],
): Figure {
  const of = judged.filter((one) =>
    Object.entries(meant).every(([name, value]) => one[name as keyof Told] === value),
  )
  const hits = of.filter((one) => one.outcome === outcome && (label === undefined || one.label === label))
  return percent(id, hits.length, of.length, better)
}

function percent(id: string, part: number, of: number, better: Figure["better"]): Figure {
  return { id, value: of === 0 ? 0 : (100 * part) / of, unit: "%", better }
}
