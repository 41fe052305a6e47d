import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { configSchema } from "../../src/config/schema.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { judgementOf } from "../../src/judgement/judgement.ts"
import { agreeInDetail } from "../../src/language/compare/agreement.ts"
import { relate } from "../../src/language/compare/relate.ts"
import { termsOf } from "../../src/language/terms.ts"
import { retrieve } from "../../src/memory/find/retrieve.ts"
import { newMemorySchema } from "../../src/memory/model/memory.ts"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { remember } from "../../src/memory/write/remember.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { type LabelledPair, loadPairs } from "../contradiction/labelled-pairs.ts"
import { type Author, loadAuthors, type PairRow, titleOf } from "../judgement/authors.ts"
import { shareOf } from "../judgement/interval.ts"
import { openStore } from "../latency/open-store.ts"
import { openBenchEmbedder } from "../quality/embedding.ts"
import { type Bench, type Benchmark, type Figure, median } from "../shared/figures.ts"
import { sqliteStores } from "../shared/stores.ts"

/** What becomes of an older note when a newer one about the same comes in, through the product's own way in and out. */
export const updates: Benchmark = {
  about: "whether newer notes replace, or are held against, the older ones they update; each author apart",
  options: {
    only: { type: "string", help: "one author, or left-out for those the model never saw" },
    misses: { type: "boolean", help: "print what was missed and what was wrongly suspected" },
  },
  async run(bench) {
    const embedder = await openBenchEmbedder(bench, "all-MiniLM-L6-v2")
    const { only } = bench.options
    const authors = loadAuthors(typeof only === "string" ? only : undefined)
    const byAuthor: Scored[] = []
    for (const author of authors) byAuthor.push(await score(bench, embedder, author))
    // Whoever is worst among those the model never saw stands first.
    byAuthor.sort((a, b) => Number(b.author.isLeftOut) - Number(a.author.isLeftOut) || caught(a) - caught(b))
    return [
      ...byAuthor.flatMap(figuresOf),
      ...(await minimalEdits(bench, embedder)),
      ...(await oppositesMerged(bench, embedder)),
      ...costs(byAuthor),
    ]
  },
}

type Fate = "replaced" | "suspected" | "conflict" | "merged" | "kept"

/** What became of the newer of two notes. */
interface Outcome extends PairRow {
  fate: Fate
  /** Whether a search shows the newer first: asked with the words both share, and with the words of the older one. */
  newerFirst: boolean
  newerFirstInOldWords: boolean
  addMs: number
}

interface Scored {
  author: Author
  on: Outcome[]
  off: Outcome[]
  /** What became of notes that all hold, one after the other in one place; all but "kept" is wrong. */
  held: Fate[]
}

async function score(bench: Bench, embedder: Embedder, author: Author): Promise<Scored> {
  bench.say(`${author.name}: ${author.pairs.length} pairs`)
  const { judge, ...rules } = embedder
  const pairs = author.pairs.map((row) => ({ ...row }))
  const on = await fates(bench, embedder, pairs)
  const off = await fates(bench, rules, pairs)
  if (bench.options.misses)
    for (const { label, fate, old, new: newer } of on)
      if ((label === "update") === (fate === "kept" || fate === "merged"))
        bench.say(`${label} ${fate}: ${old} || ${newer}`)
  return { author, on, off, held: await heldTogether(bench, embedder, author.notes) }
}

const dayMs = 86_400_000
const weeksMs = 3 * 7 * dayMs

async function openNeeds(bench: Bench, embedder: Embedder) {
  const base = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openStore(await sqliteStores(bench).create())
  const config = configSchema.parse({})
  return {
    ...base,
    db,
    config,
    embedder,
    screen: openScreen(base, config.privacy),
    projects: createProjectFinder(base),
  }
}

/** Each pair in a project of its own: how it relates to other authors' notes nobody has labelled. */
async function fates(bench: Bench, embedder: Embedder, pairs: readonly PairRow[]): Promise<Outcome[]> {
  const needs = await openNeeds(bench, embedder)
  const outcomes: Outcome[] = []
  for (const [index, row] of pairs.entries()) {
    const project = `pair-${index}`
    bench.progress("pairs", index, pairs.length)
    const add = (content: string, age: number, name: string) =>
      remember(needs, newMemorySchema.parse({ content, project, createdAt: systemClock.now() - age }), {
        operation: `op_${index}_${name}`,
        actor: "bench",
      })
    const older = await add(row.old, weeksMs, "old")
    const began = performance.now()
    const newer = await add(row.new, 0, "new")
    const addMs = performance.now() - began
    if (older.outcome === "refused" || newer.outcome === "refused") continue
    const isFirst = async (query: string) => {
      const { hits } = await retrieve(needs, { query, limit: 5, project, gate: false })
      return hits[0]?.memory.id === newer.id
    }
    outcomes.push({
      ...row,
      fate: fateOf(newer),
      newerFirst: await isFirst(sharedWords(row)),
      newerFirstInOldWords: await isFirst(row.old),
      addMs,
    })
  }
  await needs.db.close()
  return outcomes
}

/** A day lies between two notes, as between notes that people make. */
async function heldTogether(bench: Bench, embedder: Embedder, notes: readonly string[]): Promise<Fate[]> {
  const needs = await openNeeds(bench, embedder)
  const told: Fate[] = []
  for (const [index, content] of notes.entries()) {
    const createdAt = systemClock.now() - (notes.length - index) * dayMs
    bench.progress("notes", index, notes.length)
    const by = { operation: `op_note_${index}`, actor: "bench" }
    const remembered = await remember(needs, newMemorySchema.parse({ content, createdAt }), by)
    if (remembered.outcome === "refused") continue
    told.push(fateOf(remembered))
    if (bench.options.misses && told.at(-1) !== "kept") bench.say(`held ${told.at(-1)}: ${content}`)
  }
  await needs.db.close()
  return told
}

function fateOf({ outcome, mayReplace = [] }: { outcome: string; mayReplace?: string[] }): Fate {
  if (outcome === "superseded") return "replaced"
  if (outcome === "reinforced" || outcome === "unchanged") return "merged"
  if (outcome === "conflict") return "conflict"
  return mayReplace.length > 0 ? "suspected" : "kept"
}

/** What both speak of, as somebody would ask after it who knows neither answer; all of the older one where they share no word. */
function sharedWords({ old, new: newer }: PairRow): string {
  const known = new Set(termsOf(newer))
  const words = old.split(/\s+/).filter((word) => termsOf(word).some((term) => known.has(term)))
  return words.length === 0 ? old : words.join(" ")
}

const isCaught = ({ fate }: Outcome) => fate === "replaced" || fate === "suspected" || fate === "conflict"

function caught({ on }: Scored): number {
  const rows = on.filter(({ label }) => label === "update")
  return rows.filter(isCaught).length / Math.max(1, rows.length)
}

function figuresOf({ author, on, off, held }: Scored): Figure[] {
  const title = titleOf(author)
  const figure = (
    name: string,
    label: PairRow["label"],
    better: Figure["better"],
    counts: (one: Outcome) => boolean,
    among: (one: Outcome) => boolean = () => true,
  ) => {
    const [rows, before] = [on, off].map((some) => some.filter((one) => one.label === label && among(one)))
    if (rows === undefined || before === undefined || rows.length === 0) return []
    const baseline = { name: "rules alone", hits: before.filter(counts).length, of: before.length }
    return [shareOf(`${title}.${name}`, rows.filter(counts).length, rows.length, better, baseline)]
  }
  const is = (fate: Outcome["fate"]) => (one: Outcome) => one.fate === fate
  const isEnglish = ({ lang }: Outcome) => lang === "en"
  return [
    ...figure("updates.replaced-or-suspected", "update", "higher", isCaught),
    ...figure("updates.english.replaced-or-suspected", "update", "higher", isCaught, isEnglish),
    ...figure(
      "updates.other-languages.replaced-or-suspected",
      "update",
      "higher",
      isCaught,
      (one) => !isEnglish(one),
    ),
    ...figure("updates.newer-first", "update", "higher", (one) => one.newerFirst),
    ...figure(
      "updates.newer-first-asked-in-old-words",
      "update",
      "higher",
      (one) => one.newerFirstInOldWords,
    ),
    ...figure("updates.replaced", "update", "higher", is("replaced")),
    ...figure("updates.merged", "update", "lower", is("merged")),
    ...figure("compatible.replaced", "compatible", "lower", is("replaced")),
    ...figure(
      "compatible.suspected",
      "compatible",
      "lower",
      (one) => isCaught(one) && one.fate !== "replaced",
    ),
    ...figure("compatible.merged", "compatible", "lower", is("merged")),
    // What the order by time costs: the earlier of two that both hold, asked for in its own words, stands second.
    ...figure(
      "compatible.newer-first-asked-in-old-words",
      "compatible",
      "lower",
      (one) => one.newerFirstInOldWords,
    ),
    ...figure("duplicates.merged", "duplicate", "higher", is("merged")),
    ...figure("duplicates.suspected", "duplicate", "lower", isCaught),
    ...figure("unrelated.suspected", "unrelated", "lower", isCaught),
    ...(held.length === 0
      ? []
      : [
          shareOf(
            `${title}.store.wrongly-held-against`,
            held.filter((one) => one !== "kept").length,
            held.length,
            "lower",
          ),
        ]),
  ]
}

/** One value changed in otherwise equal words: rules are right there, and must stay so. */
async function minimalEdits(bench: Bench, embedder: Embedder): Promise<Figure[]> {
  const rows = ownPairs().filter(({ label }) => label === "opposite")
  const pairs = rows.map((row): PairRow => ({ old: row.older, new: row.newer, label: "update", lang: "en" }))
  const { judge, ...rules } = embedder
  const [on, off] = [await fates(bench, embedder, pairs), await fates(bench, rules, pairs)]
  const figure = (name: string, counts: (one: Outcome) => boolean, better: Figure["better"]) =>
    shareOf(`minimal-edits.${name}`, on.filter(counts).length, on.length, better, {
      name: "rules alone",
      hits: off.filter(counts).length,
      of: off.length,
    })
  return [
    figure("replaced-or-suspected", isCaught, "higher"),
    figure("replaced", ({ fate }) => fate === "replaced", "higher"),
    figure("merged", ({ fate }) => fate === "merged", "lower"),
  ]
}

function ownPairs(): LabelledPair[] {
  return loadPairs().filter(({ set }) => set === "agent")
}

/** Of all labelled opposites, how many would be taken for a repetition. */
async function oppositesMerged(bench: Bench, embedder: Embedder): Promise<Figure[]> {
  const judgement = judgementOf(embedder)
  if (judgement === undefined) return []
  const opposites = loadPairs().filter(({ label, set }) => label === "opposite" && set !== "judgement")
  const open = opposites.filter(
    ({ older, newer }) => relate(older, newer).kind === "differs" && agreeInDetail(older, newer),
  )
  bench.say(`${open.length} of ${opposites.length} opposites are left to the trained model`)
  const said = await judgement.relates(open)
  const merged = open.filter((_, index) => (said[index]?.duplicate ?? 0) >= judgement.thresholds.duplicate)
  for (const { older, newer } of merged) bench.say(`merged opposites: ${older} || ${newer}`)
  return [
    { id: "opposites.merged", value: merged.length, unit: "pairs", better: "lower", rows: opposites.length },
  ]
}

function costs(scored: readonly Scored[]): Figure[] {
  const times = (some: (one: Scored) => Outcome[]) => scored.flatMap(some).map(({ addMs }) => addMs)
  const [on, off] = [times((one) => one.on), times((one) => one.off)]
  if (on.length === 0) return []
  const baseline = { name: "rules alone", value: median(off) }
  return [{ id: "add.median", value: median(on), unit: "ms", better: "lower", baseline, rows: on.length }]
}
