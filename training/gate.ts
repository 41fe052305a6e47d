// node training/gate.ts PROMPTS: fits the gate for notes and writes assets/gate/all-MiniLM-L6-v2.json.
// PROMPTS is the folder with the real prompts (they are read, never copied). Authors and repositories that the judge's card
// names as left out take no part. First each author is left out in turn, and what that gives is printed.
//
// Questions without an answer are made of those with one, so that nothing but knowledge tells them apart: the same question
// after its note was taken out, and asked of another author's notes; and prompts of strangers. The authors' own questions
// without an answer are not used: their length alone tells them apart (an area of .76 to .97).
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Author, loadAuthors, loadPrompts } from "../bench/judgement/authors.ts"
import { filePlace } from "../bench/quality/contest.ts"
import { openBenchEmbedder } from "../bench/quality/embedding.ts"
import { areaUnderCurve } from "../bench/quality/metrics.ts"
import { type LibraryNeeds, reverieSystem } from "../bench/quality/reverie.ts"
import type { Item } from "../bench/quality/system.ts"
import { judgementOf } from "../src/judgement/judgement.ts"
import { type Answer, findAnswer, noAnswer } from "../src/memory/find/answer.ts"
import { parseQuery } from "../src/memory/find/query.ts"
import {
  type AnswerFeature,
  answerFeatures,
  type Background,
  closenessOf,
  type HitFeature,
  hitFeatures,
  hitsOfAnswer,
  type LogisticWeights,
  likelihood,
} from "../src/memory/find/rank/calibration.ts"
import type { GateFile } from "../src/memory/find/rank/calibrations.ts"
import type { Ranked } from "../src/memory/find/rank/rank.ts"
import { standardRecipe } from "../src/memory/find/rank/recipe.ts"
import { addJudgements, maxJudged, reorderJudged } from "../src/memory/find/rank/rerank.ts"
import { visibleTo } from "../src/memory/model/visibility.ts"
import { queriesFor } from "../src/recall/build-queries.ts"
import { sql } from "../src/storage/sql.ts"

const model = "all-MiniLM-L6-v2"
const [promptsFolder = "../shared/data/prompts"] = process.argv.slice(2)
const say = (text: string) => process.stderr.write(`${text}\n`)

const answerKeys = ["closeness", "chance", "metMost", "rawWords"] as const satisfies AnswerFeature[]
const hitKeys = ["cosine", "metMost", "rawWords", "behind"] as const satisfies HitFeature[]
const judgedAnswerKeys = [...answerKeys, "answers"] as const satisfies AnswerFeature[]
const judgedHitKeys = [...hitKeys, "answers"] as const satisfies HitFeature[]
type Signs = Partial<Record<AnswerFeature | HitFeature, number>>

type Kind = "known" | "removed" | "elsewhere" | "prompt" | "near"
/** How much the kinds without an answer count, together as much as those with one: among few memories, and among many. */
const shareOf: Record<Kind, number> = { known: 1, removed: 0.25, elsewhere: 0.25, prompt: 0.5, near: 0 }
/** The same where the trained model reads the notes: that tells the questions near them by more than their length. */
const judgedShareOf: Record<Kind, number> = {
  known: 1,
  removed: 0.25,
  elsewhere: 0.2,
  prompt: 0.45,
  near: 0.1,
}

interface Row {
  store: string
  kind: Kind
  /** Among how many it was looked for. */
  memories: number
  signs: Signs
  hits: { isRight: boolean; signs: Signs }[]
  judgedHits: { isRight: boolean; signs: Signs }[]
}

const closing: (() => unknown)[] = []
const embedder = await openBenchEmbedder({ say, options: {}, atEnd: (work) => closing.push(work) }, model)
const judgement = judgementOf(embedder)
const authors = loadAuthors().filter(({ isLeftOut }) => !isLeftOut)
const stores = authors.filter(({ notes }) => notes.length > 0)
const prompts = loadPrompts(promptsFolder)
  .filter(({ isLeftOut }) => !isLeftOut)
  .flatMap(({ text }) => queriesFor(text, []).slice(0, 1))

const vectors = new Map<string, Float32Array>()
async function vectorsOf(texts: readonly string[]): Promise<Float32Array[]> {
  const missing = texts.filter((text) => !vectors.has(text))
  const made = missing.length === 0 ? [] : await embedder.embed(missing)
  made.forEach(({ vector }, place) => {
    vectors.set(missing[place] ?? "", vector)
  })
  return texts.map((text) => vectors.get(text) ?? new Float32Array())
}

const perAuthor = 150

function some<T>(values: readonly T[]): T[] {
  const step = Math.max(1, Math.floor(values.length / perAuthor))
  return values.filter((_, place) => place % step === 0).slice(0, perAuthor)
}

/** The middles of what these authors ask and note, and the direction in which it all differs most. */
async function backgroundOf(of: readonly Author[]): Promise<Background> {
  const asked = of.flatMap(({ answerable, unanswerable, messages }) => [
    ...answerable.map(({ question }) => question),
    ...unanswerable,
    ...some(messages).map(({ message }) => message),
  ])
  const noted = of.flatMap(({ notes, pairs }) => [...notes, ...some(pairs).map((pair) => pair.new)])
  const questions = await vectorsOf(asked)
  const notes = await vectorsOf(noted)
  const [question, note] = [middle(questions), middle(notes)]
  const all = [...questions.map((one) => minus(one, question)), ...notes.map((one) => minus(one, note))]
  return { question, note, common: mainDirection(all) }
}

function middle(of: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(embedder.dimensions)
  for (const vector of of)
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
  return sum.map((value) => value / Math.max(1, of.length))
}

function minus(one: Float32Array, other: Float32Array): Float32Array {
  return one.map((value, at) => value - (other[at] ?? 0))
}

/** By repeated multiplication; of unit length. */
function mainDirection(of: readonly Float32Array[]): Float32Array {
  let direction = new Float32Array(embedder.dimensions).fill(1 / Math.sqrt(embedder.dimensions))
  for (let round = 0; round < 60; round += 1) {
    const next = new Float32Array(direction.length)
    for (const vector of of) {
      let along = 0
      for (let at = 0; at < next.length; at += 1) along += (vector[at] ?? 0) * (direction[at] ?? 0)
      for (let at = 0; at < next.length; at += 1) next[at] = (next[at] ?? 0) + along * (vector[at] ?? 0)
    }
    const length = Math.hypot(...next)
    direction = next.map((value) => value / length)
  }
  return direction
}

/** A question as retrieval saw it; how near its first hits are is told once the background is known. */
interface Seen extends Omit<Row, "signs"> {
  question: string
  textOf(one: Ranked): string
  ranked: Answer["ranked"]
}

const parts = 5
const promptsEach = 60
/** One of the parts is also asked with so many notes of other authors beside it: in a large store something is near anything. */
const besides = 600

function itemOf(content: string, place: number): Item {
  return { sourceId: String(place), content, sessionId: `note ${place}`, messageIndex: 0, createdAt: place }
}

interface Question {
  kind: Kind
  text: string
  /** The place of the note that answers it. */
  right?: number
}

/** What is asked of a store without this part of its notes; more where it is a large one. */
function questionsOf(store: Author, other: Author, part: number, isLarge: boolean): Question[] {
  const partOf = (note: number) => (note + parts - part) % parts
  const own = store.answerable.flatMap(({ question: text, note }): Question[] => {
    if (partOf(note) === 0) return [{ kind: "removed", text }]
    return partOf(note) === 1 || isLarge ? [{ kind: "known", text, right: note }] : []
  })
  const near = store.unanswerable
    .filter((_, place) => isLarge || place % parts === part)
    .map((text): Question => ({ kind: "near", text }))
  const foreign = other.answerable
    .filter(({ note }) => isLarge || partOf(note) === 0)
    .map(({ question: text }): Question => ({ kind: "elsewhere", text }))
  const count = (isLarge ? 3 : 1) * (promptsEach / parts)
  const from = stores.indexOf(store) * promptsEach + part * parts
  const strange = Array.from({ length: count }, (_, place): Question => {
    return { kind: "prompt", text: prompts[(37 * (from + place)) % prompts.length] ?? "" }
  })
  return [...own, ...near, ...foreign, ...strange].filter(({ text }) => embedder.reads?.(text) !== false)
}

/** Notes of authors that have nothing to do with the questions. */
function fillingFor(store: Author, other: Author): string[] {
  const others = authors
    .filter((author) => author !== store && author !== other)
    .flatMap(({ pairs }) => some(pairs).map((pair) => pair.new))
  const step = Math.floor(others.length / besides)
  return others.filter((_, place) => place % step === 0)
}

/** Asks everything of a store in parts, and once of a large one. */
async function look(store: Author, other: Author): Promise<Seen[]> {
  const texts = [...store.notes, ...fillingFor(store, other)]
  const seen: Seen[] = []
  for (let round = 0; round <= parts; round += 1) {
    const [part, isLarge] = [round % parts, round === parts]
    const items = texts
      .map(itemOf)
      .filter((_, place) => (place < store.notes.length ? place % parts !== part : isLarge))
    for (const one of await lookIn(items, texts, questionsOf(store, other, part, isLarge)))
      seen.push({ ...one, store: store.name })
  }
  return seen
}

async function lookIn(
  items: readonly Item[],
  texts: readonly string[],
  questions: readonly Question[],
): Promise<Omit<Seen, "store">[]> {
  const { promise, resolve } = Promise.withResolvers<LibraryNeeds>()
  const place = async () => filePlace(mkdtempSync(join(tmpdir(), "gate-")))
  const system = reverieSystem({ embedder, say, place, afterFilling: async (given) => resolve(given) })
  const open = await system.open(items)
  const needs = await promise
  const rows = await needs.db.read<{ id: string; place: string }>(
    sql`select id, source_id as place from memories`,
  )
  const placeOf = new Map(rows.map((row) => [row.id, Number(row.place)]))
  const seen: Omit<Seen, "store">[] = []
  for (const { kind, text, right = -1 } of questions) {
    const asked = parseQuery(text, Date.now())
    const { ranked } = await findAnswer(needs, standardRecipe, asked, visibleTo({}), 10)
    const best = ranked[0]?.score ?? 0
    const hits = ranked.slice(0, kind === "known" ? 10 : 3).map((one) => ({
      isRight: placeOf.get(one.candidate.id) === right,
      signs: hitFeatures(one, { best, usual: 0 }),
    }))
    const textOf = ({ candidate }: Ranked) => texts[placeOf.get(candidate.id) ?? 0] ?? ""
    const judged = await addJudgements(judgement, asked.text, ranked, textOf)
    const judgedHits = judged.slice(0, maxJudged).map((one) => ({
      isRight: placeOf.get(one.candidate.id) === right,
      signs: hitFeatures(one, { best, usual: 0 }),
    }))
    seen.push({ kind, hits, judgedHits, question: text, textOf, ranked: judged, memories: rows.length })
  }
  await open.close()
  return seen
}

const noCalibration = noAnswer.calibration

/** The signs of each answer, in the order of the hits or, once that is fitted, in the order that the trained model gives. */
async function withCloseness(
  seen: readonly Seen[],
  background: Background,
  judged?: LogisticWeights<HitFeature>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const one of seen) {
    const { store, kind, hits, judgedHits, memories } = one
    const ranked = judged ? reorderJudged(one.ranked, { hit: judged }) : one.ranked
    const first = ranked.slice(0, hitsOfAnswer).map(one.textOf)
    const [question = new Float32Array(), ...notes] = await vectorsOf([one.question, ...first])
    const closeness = notes.map((note) => closenessOf(background, question, note))
    const signs = answerFeatures(noCalibration, ranked, { speaker: undefined, closeness, memories })
    rows.push({ store, kind, hits, judgedHits, memories, signs })
  }
  return rows
}

interface Example {
  values: number[]
  isRight: boolean
  weight: number
}

/** What counts against; all else counts for. */
const against: readonly string[] = ["behind", "chance"]

/** Logistic regression whose weights keep their sign; signs are made comparable first. */
function regress<Key extends string>(
  keys: readonly Key[],
  examples: readonly Example[],
): Record<Key, number> & { constant: number } {
  const all = examples.reduce((sum, { weight }) => sum + weight, 0)
  const columns = keys.map((_, at) => examples.map(({ values }) => values[at] ?? 0))
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / column.length)
  const spreads = columns.map((column, at) =>
    Math.sqrt(column.reduce((sum, value) => sum + (value - (means[at] ?? 0)) ** 2, 0) / column.length),
  )
  const rows = examples.map(({ values, isRight, weight }) => ({
    isRight,
    weight,
    values: values.map((value, at) => (value - (means[at] ?? 0)) / (spreads[at] ?? 1)),
  }))
  let constant = 0
  const weights = keys.map(() => 0)
  for (let round = 0; round < 4000; round += 1) {
    let slope = 0
    const slopes = weights.map((weight) => 2 * ridge * weight)
    for (const { values, isRight, weight } of rows) {
      const sum = values.reduce((total, value, at) => total + value * (weights[at] ?? 0), constant)
      const off = (weight * (1 / (1 + Math.exp(-sum)) - (isRight ? 1 : 0))) / all
      slope += off
      values.forEach((value, at) => {
        slopes[at] = (slopes[at] ?? 0) + off * value
      })
    }
    constant -= slope
    weights.forEach((weight, at) => {
      const next = weight - (slopes[at] ?? 0)
      weights[at] = against.includes(keys[at] ?? "") ? Math.min(0, next) : Math.max(0, next)
    })
  }
  const own = weights.map((weight, at) => weight / (spreads[at] ?? 1))
  const shift = own.reduce((sum, weight, at) => sum + weight * (means[at] ?? 0), 0)
  const named = Object.fromEntries(keys.map((key, at) => [key, rounded(own[at] ?? 0)]))
  return { constant: rounded(constant - shift), ...named } as Record<Key, number> & { constant: number }
}

const ridge = 0.002

function rounded(value: number): number {
  return Math.round(100 * value) / 100
}

/** What a row counts, so that neither the size of a store nor the number of rows of a kind tells anything. */
function weighRows(rows: readonly Row[], shares: Record<Kind, number>): (row: Row) => number {
  const groupOf = ({ kind, memories }: Row) => `${kind} ${memories > besides}`
  const counts = Map.groupBy(rows, groupOf)
  return (row) => shares[row.kind] / (counts.get(groupOf(row))?.length ?? 1)
}

function fitAnswer<Key extends AnswerFeature>(
  keys: readonly Key[],
  rows: readonly Row[],
  shares: Record<Kind, number>,
) {
  const weigh = weighRows(rows, shares)
  return regress(
    keys,
    rows.map((row) => ({
      values: keys.map((key) => row.signs[key] ?? 0),
      isRight: row.kind === "known",
      weight: weigh(row),
    })),
  )
}

function fitHit<Key extends HitFeature>(
  keys: readonly Key[],
  rows: readonly { row: Row; hits: Row["hits"] }[],
  shares: Record<Kind, number>,
) {
  const weigh = weighRows(
    rows.map(({ row }) => row),
    shares,
  )
  return regress(
    keys,
    rows.flatMap(({ row, hits }) =>
      hits.map(({ isRight, signs }) => ({
        values: keys.map((key) => signs[key] ?? 0),
        isRight,
        weight: weigh(row),
      })),
    ),
  )
}

/** Both lines, without the trained model and with it. */
async function fitLines(of: readonly Seen[], background: Background) {
  const rows = await withCloseness(of, background)
  const hit = fitHit(
    hitKeys,
    rows.map((row) => ({ row, hits: row.hits })),
    shareOf,
  )
  const judgedHit = fitHit(
    judgedHitKeys,
    rows.map((row) => ({ row, hits: row.judgedHits })),
    judgedShareOf,
  )
  const judgedRows = await withCloseness(of, background, judgedHit)
  return {
    plain: { answer: fitAnswer(answerKeys, rows, shareOf), hit },
    judged: { answer: fitAnswer(judgedAnswerKeys, judgedRows, judgedShareOf), hit: judgedHit },
  }
}

const seen: Seen[] = []
for (const [place, store] of stores.entries()) {
  say(store.name)
  seen.push(...(await look(store, stores[(place + 1) % stores.length] ?? store)))
}

/** The value below which that share of the values lies. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? 0
}

// Each author left out in turn.
const known = { plain: [] as number[], judged: [] as number[] }
for (const store of stores) {
  const background = await backgroundOf(authors.filter((author) => author !== store))
  const lines = await fitLines(
    seen.filter((one) => one.store !== store.name),
    background,
  )
  const own = seen.filter((one) => one.store === store.name)
  for (const way of ["plain", "judged"] as const) {
    const rows = await withCloseness(own, background, way === "judged" ? lines.judged.hit : undefined)
    for (const [size, some] of Map.groupBy(rows, ({ memories }) => (memories > besides ? "many" : "few"))) {
      const sure = (kind: Kind) =>
        some.filter((row) => row.kind === kind).map(({ signs }) => likelihood(lines[way].answer, signs))
      if (size === "few") known[way].push(...sure("known"))
      const area = (kind: Kind) => `${kind} ${areaUnderCurve(sure("known"), sure(kind)).toFixed(3)}`
      const areas = (["near", "removed", "elsewhere", "prompt"] as const).map(area)
      say(`${store.name} left out, ${way}, ${size} memories: ${areas.join(", ")}`)
    }
  }
  const asked = own.filter(({ kind }) => kind === "known")
  const firsts = (order: (one: Seen) => Row["hits"]) =>
    asked.filter((one) => order(one)[0]?.isRight).length / asked.length
  const byJudge = ({ judgedHits }: Seen) =>
    judgedHits.toSorted(
      (a, b) => likelihood(lines.judged.hit, b.signs) - likelihood(lines.judged.hit, a.signs),
    )
  say(`right first: ${firsts(({ hits }) => hits).toFixed(3)}, judged ${firsts(byJudge).toFixed(3)}`)
}

const background = await backgroundOf(authors)
const lines = await fitLines(seen, background)
/** Where somebody asks, and where nobody did, so much of what has an answer is silenced. */
const silenced = { plain: { asked: 0.1, unasked: 0.3 }, judged: { asked: 0.13, unasked: 0.35 } }
const limits = (way: keyof typeof silenced) => ({
  abstainBelow: rounded(quantile(known[way], silenced[way].asked)),
  unaskedBelow: rounded(quantile(known[way], silenced[way].unasked)),
})
const base64 = (vector: Float32Array) =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64")
const file: GateFile = {
  version: new Date().toISOString().slice(0, 10),
  fittedOn: stores.map(({ name }) => name),
  piecesFloor: 0.3,
  ...lines.plain,
  ...limits("plain"),
  ...(judgement === undefined ? {} : { judged: { ...lines.judged, ...limits("judged") } }),
  leaveOutBelow: 0.05,
  leaveOutShare: 0.25,
  background: {
    question: base64(background.question),
    note: base64(background.note),
    common: base64(background.common),
  },
}
const target = fileURLToPath(new URL(`../assets/gate/${model}.json`, import.meta.url))
writeFileSync(target, `${JSON.stringify(file, null, 2)}\n`)
say(JSON.stringify({ ...file, background: undefined }))
for (const work of closing) await work()
