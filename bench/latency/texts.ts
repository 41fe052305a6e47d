import { setImmediate } from "node:timers/promises"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import { configSchema } from "../../src/config/schema.ts"
import { importText } from "../../src/memory/import.ts"
import { newMemorySchema } from "../../src/memory/memory.ts"
import { openScreen } from "../../src/memory/privacy/screen.ts"
import { createProjectFinder } from "../../src/memory/project.ts"
import { remember } from "../../src/memory/remember.ts"
import { retrieve } from "../../src/memory/retrieve.ts"
import type { Database } from "../../src/storage/database.ts"
import { wordsOf } from "../../src/storage/search.ts"
import { type Figure, median, timed } from "../figures.ts"
import { type MadeUpMemory, searchedProject } from "../made-up-texts.ts"
import { hold, spreadFigures } from "./contest.ts"
import { type Both, type MeasuredStore, resultLimit } from "./measured-store.ts"
import type { PlainStore } from "./plain-store.ts"

const importPieces = 5
/** As many rows as an import writes in one transaction. */
const plainBatch = 200
/** How many rows of a piece are enough to tell the bare driver's rate. */
const plainMeasured = 2000

/** Fills the store; tells how many rows a second a bulk import manages. */
export async function measureImport(measured: MeasuredStore, both: Both): Promise<Figure[]> {
  const { rows, texts, store } = measured
  const ours: number[] = []
  const plain: number[] = []
  for (let piece = 0; piece < importPieces; piece += 1) {
    const memories = Array.from({ length: rows / importPieces }, () => texts.memory())
    ours.push(memories.length / (await timed(() => importAll(both.db, memories))))
    const contents = memories.map((memory) => memory.content)
    const few = contents.slice(0, plainMeasured)
    plain.push(few.length / (await timed(() => inBatches(few, both.plain.addMany))))
    await inBatches(contents.slice(plainMeasured), both.plain.fill)
    await inBatches(contents, both.plain.fillIndexed)
  }
  const baseline = { name: `plain table, ${plainBatch} rows a transaction`, value: median(plain) * 1000 }
  const value = median(ours) * 1000
  return [{ id: `${store.kind}.import.${rows}`, value, unit: "rows/s", better: "higher", baseline }]
}

async function importAll(db: Database, memories: readonly MadeUpMemory[]): Promise<void> {
  const tally = await importText(needsOf(db), linesOf(memories), by(), { verbatim: true })
  if (tally.saved !== memories.length) throw new Error(`only ${tally.saved} were saved: ${tally.problems[0]}`)
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

function needsOf(db: Database) {
  const clock = systemClock
  const config = configSchema.parse({})
  const projects = createProjectFinder({ clock })
  return {
    db,
    clock,
    random: systemRandom,
    config,
    projects,
    screen: openScreen({ clock }, config.privacy),
    log: silentLog,
    embedder: undefined,
  }
}

function by() {
  return { operation: newId(systemRandom, "op"), actor: "bench" }
}

/** Remembering one thing, beside one row in a plain table. */
export async function measureAdds(measured: MeasuredStore, both: Both): Promise<Figure[]> {
  const { plan, store, rows, texts } = measured
  const needs = needsOf(both.db)
  const outcome = await hold({
    rounds: plan.rounds,
    times: plan.addsInRound,
    input: () => newMemorySchema.parse(texts.memory()),
    async ours(memory) {
      const { outcome } = await remember(needs, memory, by())
      if (outcome === "refused") throw new Error("a made-up memory was refused")
    },
    plain: { name: "one row in a plain table", act: (memory) => both.plain.add(memory.content) },
  })
  return spreadFigures(`${store.kind}.add`, rows, outcome)
}

/** Finding memories by three words and by whole sentences, beside the ids alone from a table with nothing else. */
export async function measureSearches(measured: MeasuredStore, both: Both): Promise<Figure[]> {
  const { plan, store, rows, texts } = measured
  const words = await contestOfSearches(measured, both, plan.searchesInRound, texts.query)
  const sentences = await contestOfSearches(measured, both, plan.sentencesInRound, texts.sentence)
  return [
    ...spreadFigures(`${store.kind}.search`, rows, words),
    ...spreadFigures(`${store.kind}.search-sentence`, rows, sentences),
  ]
}

async function contestOfSearches(measured: MeasuredStore, both: Both, times: number, input: () => string) {
  const { plan, store } = measured
  const needs = needsOf(both.db)
  let searches = 0
  let found = 0
  const outcome = await hold({
    rounds: plan.rounds,
    times,
    input,
    async ours(query) {
      const { hits } = await retrieve(needs, { query, project: searchedProject, limit: resultLimit })
      searches += 1
      if (hits.length > 0) found += 1
    },
    plain: {
      name: store.kind === "sqlite" ? "bare FTS5, ids only" : "bare tsvector, ids only",
      act: (query) => both.plain.search(wordsOf(query), resultLimit),
    },
  })
  // Searches that find nothing are fast, but say nothing.
  if (found < searches * 0.9) throw new Error(`only ${found} of ${searches} searches found anything`)
  return outcome
}
