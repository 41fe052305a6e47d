import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { UserError } from "../../src/base/errors.ts"
import { queriesFor } from "../../src/recall/build-queries.ts"
import { type Author, type LabelledPrompt, loadAuthors, storeIn, titleOf } from "../judgement/authors.ts"
import { areaInterval, interval } from "../judgement/interval.ts"
import type { Score, Scores } from "../quality/compare.ts"
import { areaUnderCurve } from "../quality/metrics.ts"
import { withStore } from "../quality/score-recall.ts"
import type { Answer, Item, Store, System } from "../quality/system.ts"

const dayMs = 86_400_000

/** One author's notes with questions. */
export type AuthorStore = Pick<Author, "name" | "isLeftOut" | "notes" | "answerable" | "unanswerable">

/** The stores of the training data, and those of a further folder, of which nothing was ever seen. */
export function loadStores(only: string | undefined, folder: string | undefined): AuthorStore[] {
  const names = only?.split(",")
  const own = loadAuthors().filter(({ notes }) => notes.length > 0)
  const further = folder === undefined ? [] : storesIn(folder, own)
  const stores = [...further, ...own].filter(
    ({ name, isLeftOut }) =>
      names === undefined || names.includes(name) || (isLeftOut && names.includes("left-out")),
  )
  if (stores.length > 0) return stores
  const there = [...further, ...own].map(({ name }) => name).join(", ")
  throw new UserError("usage", `--authors takes left-out and names of ${there}, not ${only}.`)
}

function storesIn(folder: string, known: readonly AuthorStore[]): AuthorStore[] {
  if (!existsSync(folder)) throw new UserError("not-found", `There is no folder ${folder}.`)
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !known.some(({ name }) => name === entry.name))
    .map(({ name }) => ({ name, isLeftOut: true, ...storeIn(join(folder, name, "store.json")) }))
    .filter(({ notes }) => notes.length > 0)
}

interface AskOptions {
  /** Prompts of strangers about other things, for which nothing should come up. */
  prompts: readonly LabelledPrompt[]
  say(text: string): void
}

/**
 * Silence and ranking over the notes of each author. Questions without an answer are of four kinds:
 * - *near*: about the same things, as the author wrote them. They are shorter than those with an answer, and nearer in wording.
 * - *removed*: the very questions that have an answer, after their note was taken out: only knowledge tells them apart.
 * - *elsewhere*: the questions that another author's notes answer.
 * - *prompts*: what people typed to coding agents, in projects that these notes are not about.
 */
export async function scoreAuthorStores(
  system: System,
  stores: readonly AuthorStore[],
  { prompts, say }: AskOptions,
): Promise<Scores> {
  const all: { store: AuthorStore; asked: AskedStore }[] = []
  for (const [place, store] of stores.entries()) {
    say(`${system.name}: notes of ${store.name}`)
    const other = stores[(place + 1) % stores.length]
    const foreign = other === store || other === undefined ? [] : other.answerable
    const whole = await withStore(system, store.notes.map(itemOf), async (open) => ({
      ranked: await rankedIn(open, store),
      known: await askAll(open, store.answerable.map(textOf)),
      near: await askAll(open, store.unanswerable),
      elsewhere: await askAll(open, foreign.map(textOf)),
      unasked: await askAll(open, store.answerable.map(textOf), true),
      prompts: await askAll(open, focused(prompts), true),
    }))
    all.push({ store, asked: { ...whole, ...(await askInParts(system, store)) } })
  }
  // Whoever is hardest among those that nothing was fitted on stands first.
  all.sort(
    (a, b) =>
      Number(b.store.isLeftOut) - Number(a.store.isLeftOut) ||
      areaOf(a.asked.known, a.asked.near) - areaOf(b.asked.known, b.asked.near),
  )
  return new Map(all.flatMap(({ store, asked }) => scoresOf(`authors.${titleOf(store)}`, asked)))
}

/** How sure a system was, whether it said nothing, and whether anything that it said was right. */
interface Asked extends Pick<Answer, "confidence"> {
  isSilent: boolean
  told: number[]
}

interface AskedStore {
  /** At which place the right note stands, -1 for none of those shown, with the number that was shown. */
  ranked: { place: number }[]
  known: Asked[]
  near: Asked[]
  elsewhere: Asked[]
  /** The same as known, and prompts, where nobody asked. */
  unasked: Asked[]
  prompts: Asked[]
  /** Questions asked of stores of the same size, with and without their note. */
  present: Asked[]
  removed: Asked[]
}

const shown = 5

async function rankedIn(store: Store, { answerable }: AuthorStore): Promise<{ place: number }[]> {
  const ranked: { place: number }[] = []
  for (const { question, note } of answerable) {
    const { hits } = await store.search(question, shown)
    ranked.push({ place: hits.findIndex(({ sourceId }) => sourceId === String(note)) })
  }
  return ranked
}

async function askAll(store: Store, questions: readonly string[], isUnasked = false): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const question of questions) {
    const { confidence, abstained, hits } = await store.search(question, shown, { gate: true, isUnasked })
    const told = abstained ? [] : hits.map(({ sourceId }) => Number(sourceId))
    asked.push({ confidence, told, isSilent: told.length === 0 })
  }
  return asked
}

/** A store is taken apart into so many, each without its share of the notes. */
const parts = 5

async function askInParts(
  system: System,
  { notes, answerable }: AuthorStore,
): Promise<Pick<AskedStore, "present" | "removed">> {
  const present: Asked[] = []
  const removed: Asked[] = []
  for (let part = 0; part < parts; part += 1) {
    const items = notes.map(itemOf).filter((_, place) => place % parts !== part)
    const about = (which: number) => answerable.filter(({ note }) => note % parts === which).map(textOf)
    await withStore(system, items, async (store) => {
      removed.push(...(await askAll(store, about(part))))
      present.push(...(await askAll(store, about((part + 1) % parts))))
    })
  }
  return { present, removed }
}

/** What recall asks of prompts; those that name no subject are not asked. */
function focused(prompts: readonly LabelledPrompt[]): string[] {
  return prompts.flatMap(({ text }) => queriesFor(text, []).slice(0, 1))
}

function scoresOf(prefix: string, asked: AskedStore): [string, Score][] {
  const { ranked, known, near, elsewhere, unasked, prompts, present, removed } = asked
  const among = ranked.filter(({ place }) => place >= 0).length
  const silent = (some: readonly Asked[]) => some.filter(({ isSilent }) => isSilent).length
  const told = known.flatMap((one) => one.told)
  const scores: [string, Score][] = [
    area(`${prefix}.near.auc`, known, near),
    area(`${prefix}.removed.auc`, present, removed),
    area(`${prefix}.elsewhere.auc`, known, elsewhere),
    area(`${prefix}.prompts.auc`, unasked, prompts),
    part(`${prefix}.first`, ranked.filter(({ place }) => place === 0).length, ranked.length),
    part(`${prefix}.among-${shown}`, among, ranked.length),
    // Each alone is easy: by always or never saying something.
    alone(part(`${prefix}.answerable.silenced`, silent(known), known.length, "lower")),
    alone(part(`${prefix}.near.silenced`, silent(near), near.length)),
    alone(part(`${prefix}.elsewhere.silenced`, silent(elsewhere), elsewhere.length)),
    alone(part(`${prefix}.unasked.answerable.silenced`, silent(unasked), unasked.length, "lower")),
    alone(part(`${prefix}.unasked.prompts.silenced`, silent(prompts), prompts.length)),
    [`${prefix}.told`, { ...plain(told.length / Math.max(1, known.length)), unit: "notes", better: "lower" }],
  ]
  return scores.filter(([, { rows }]) => rows !== 0)
}

function plain(value: number): Score {
  return { value, unit: "share", better: "higher", comparable: true }
}

function part(id: string, hits: number, of: number, better: Score["better"] = "higher"): [string, Score] {
  return [id, { ...plain(hits / Math.max(1, of)), better, rows: of, interval: interval(hits, of) }]
}

function alone([id, score]: [string, Score]): [string, Score] {
  return [id, { ...score, comparable: false }]
}

function areaOf(above: readonly Asked[], below: readonly Asked[]): number {
  const sure = (some: readonly Asked[]) => some.map(({ confidence }) => confidence)
  return areaUnderCurve(sure(above), sure(below))
}

function area(id: string, above: readonly Asked[], below: readonly Asked[]): [string, Score] {
  const value = areaOf(above, below)
  const rows = above.length === 0 ? 0 : below.length === 0 ? 0 : above.length + below.length
  return [id, { ...plain(value), rows, interval: areaInterval(value, above.length, below.length) }]
}

function textOf({ question }: { question: string }): string {
  return question
}

function itemOf(content: string, place: number): Item {
  return {
    sourceId: String(place),
    content,
    sessionId: `note ${place}`,
    messageIndex: 0,
    createdAt: place * dayMs,
  }
}
