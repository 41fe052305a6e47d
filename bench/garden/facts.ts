import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { verifyFacts } from "../../src/coding/verify/facts.ts"
import { configSchema } from "../../src/config/schema.ts"
import { runGarden } from "../../src/memory/garden/run-garden.ts"
import type { Memory } from "../../src/memory/memory.ts"
import { newMemorySchema } from "../../src/memory/memory.ts"
import { openOffLimits } from "../../src/memory/privacy/off-limits.ts"
import { openScreen } from "../../src/memory/privacy/screen.ts"
import { createProjectFinder } from "../../src/memory/project.ts"
import { remember } from "../../src/memory/remember.ts"
import { findMemories } from "../../src/memory/store.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import type { Bench, Figure } from "../figures.ts"
import { buildShop } from "./shop-repository.ts"

/** A sentence about the shop: whether it is true now, was once, cannot be looked up, or denies something. */
interface Told {
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
  const pass = { by: operations(), limit: 10_000, lossLimit: 10_000, signal: new AbortController().signal }
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
  const count = (label: Told["label"], outcome?: Outcome) =>
    judged.filter((one) => one.label === label && (outcome === undefined || one.outcome === outcome)).length
  const share = (part: number, of: number) => (of === 0 ? 0 : (100 * part) / of)
  const flagged = judged.filter(({ outcome }) => outcome === "stale").length
  const confirmed = judged.filter(({ outcome }) => outcome === "confirmed").length
  const wrongly = count("stale", "confirmed") + count("none", "confirmed")
  const percent = (id: string, value: number, better: Figure["better"] = "higher"): Figure => ({
    id: `facts.${id}`,
    value,
    unit: "%",
    better,
  })
  return [
    percent("precision", share(count("stale", "stale"), flagged)),
    percent("recall", share(count("stale", "stale"), count("stale"))),
    percent("confirmed-wrongly", share(wrongly, confirmed), "lower"),
    percent("confirmed", share(count("true", "confirmed"), count("true"))),
    percent("denied-flagged", share(count("denied", "stale"), count("denied")), "lower"),
    percent("uncheckable-touched", share(count("none") - count("none", "unknown"), count("none")), "lower"),
    ...kindsOf(judged).map(({ kind, hits, of }) => percent(`${kind}.recall`, share(hits, of))),
    { id: "facts.memories", value: judged.length, unit: "memories", better: "higher" },
    { id: "facts.seconds", value: seconds, unit: "s", better: "lower" },
  ]
}

function kindsOf(judged: readonly Judged[]): { kind: string; hits: number; of: number }[] {
  const stale = judged.filter(({ label }) => label === "stale")
  return [...new Set(stale.map(({ kind }) => kind))].map((kind) => {
    const own = stale.filter((one) => one.kind === kind)
    return { kind, hits: own.filter(({ outcome }) => outcome === "stale").length, of: own.length }
  })
}
