import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import { configSchema } from "../../src/config/schema.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { type Recipe, standardRecipe } from "../../src/memory/find/rank/recipe.ts"
import { retrieve } from "../../src/memory/find/retrieve.ts"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { importText } from "../../src/memory/transfer/import.ts"
import { embedMissing } from "../../src/memory/write/vectors.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import type { Database } from "../../src/storage/database.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import type { Item, System } from "./system.ts"

interface ReverieNeeds {
  /** Without one, memories are found by their words. */
  embedder: Embedder | undefined
  /** Where to make a new store, gone after the run. */
  place(): Promise<StorePlace>
  say(text: string): void
  /** Done to each store once it is filled, at the time of its newest item. */
  afterFilling?(library: LibraryNeeds, now: number): Promise<void>
}

/** What `openDatabase` takes: a URL, or a file where that is empty. */
export interface StorePlace {
  url: string
  file: string
}

/** Reverie itself, each store in a home of its own, asked as the product asks. */
export function reverieSystem(needs: ReverieNeeds): System {
  const ablations = ablatedRecipes().map(([part, recipe]): [string, System] => [
    part,
    systemOf(needs, `reverie without ${part}`, recipe),
  ])
  return { ...systemOf(needs, "reverie", standardRecipe), ablations: new Map(ablations) }
}

function systemOf(needs: ReverieNeeds, name: string, recipe: Recipe): System {
  return {
    name,
    async open(items) {
      const memory = await openLibrary(needs, recipe)
      const refused = await memory.rememberAll(items)
      if (refused.length > 0) needs.say(`${name} took all but ${refused.length} items: ${refused[0]}`)
      await needs.afterFilling?.(memory.needs, Math.max(...items.map(({ createdAt }) => createdAt)))
      return {
        async search(query, limit, { at, gate = false, isUnasked = false } = {}) {
          const answer = await memory.retrieve({ query, limit, gate, at, isUnasked })
          const hits = answer.memories.map(({ sourceId, score }) => ({ sourceId: sourceId ?? "", score }))
          return { hits, confidence: answer.confidence, abstained: answer.abstained }
        },
        close: memory.close,
      }
    },
  }
}

/** The standard recipe without each thing that counts in it, late interaction as a whole, and the gist of long questions. */
function ablatedRecipes(): [string, Recipe][] {
  const parts = Object.keys(standardRecipe.final)
  return [
    ...parts.map((part): [string, Recipe] => [part, recipeWithout([part])]),
    ["late-interaction", recipeWithout(parts.filter((part) => part.startsWith("pieces")))],
    ["gist", { ...standardRecipe, gist: { ...standardRecipe.gist, from: noQuestion, to: noQuestion + 1 } }],
  ]
}

/** No question has so many words. */
const noQuestion = 10_000

function recipeWithout(parts: readonly string[]): Recipe {
  const zero = <T extends object>(weights: T): T => ({
    ...weights,
    ...Object.fromEntries(parts.filter((part) => part in weights).map((part) => [part, 0])),
  })
  return { ...standardRecipe, first: zero(standardRecipe.first), final: zero(standardRecipe.final) }
}

/** What is used of the library (`openMemory`). */
interface Library {
  needs: LibraryNeeds
  /** Stores all as they are, with their vectors; returns why some were not taken. */
  rememberAll(items: readonly Item[]): Promise<string[]>
  retrieve(question: {
    query: string
    limit: number
    gate: boolean
    at: number | undefined
    isUnasked: boolean
  }): Promise<{
    memories: { sourceId: string | null; score: number }[]
    abstained: boolean
    confidence: number
  }>
  close(): Promise<void>
}

const embeddedAtOnce = 256

/** What the product's functions need. */
export type LibraryNeeds = ReturnType<typeof needsWith>

function needsWith(db: Database, embedder: Embedder | undefined) {
  const config = configSchema.parse({})
  const screen = openScreen(base, config.privacy)
  return { ...base, db, config, screen, embedder, projects: createProjectFinder(base) }
}

const base = { clock: systemClock, random: systemRandom, log: silentLog }

/** The product's own way in and out. */
async function openLibrary({ place, embedder }: ReverieNeeds, recipe: Recipe): Promise<Library> {
  const db = await openDatabase({ ...base, ...(await place()) })
  const needs = needsWith(db, embedder)
  return {
    needs,
    async rememberAll(items) {
      const by = { operation: newId(systemRandom, "op"), actor: "bench" }
      const { problems } = await importText(needs, linesOf(items), by, { verbatim: true })
      while (embedder && (await embedMissing({ db, embedder, tokens: true }, embeddedAtOnce)) > 0);
      return problems
    },
    async retrieve({ query, limit, gate, at, isUnasked }) {
      // The question is asked at that time, so that "last week" means the week before it.
      const clock = at === undefined ? systemClock : { ...systemClock, now: () => at }
      const { hits, abstained, confidence } = await retrieve(
        { ...needs, clock },
        { query, limit, gate: gate && "strict", isUnasked },
        recipe,
      )
      const memories = hits.map(({ memory, score }) => ({ sourceId: memory.sourceId, score }))
      return { memories, abstained, confidence }
    },
    close: () => db.close(),
  }
}

async function* linesOf(items: readonly Item[]): AsyncGenerator<string> {
  for (const item of items) yield JSON.stringify(item)
}
