/**
 * Turns the written rows into what is trained on: sentences with their neighbours, pairs, and notes beside questions, cut
 * into word pieces exactly as the program does it. `node training/prepare.ts OUT [PROMPTS]` writes the file OUT; PROMPTS is
 * a file of real prompts whose labels, and nothing else, are in the repository.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openBenchEmbedder } from "../bench/quality/embedding.ts"
import type { Bench } from "../bench/shared/figures.ts"
import { dot } from "../src/base/vector.ts"
import { readEnvironment } from "../src/config/environment.ts"
import { pathsFor } from "../src/config/paths.ts"
import type { ToJudge } from "../src/embedding/embedder.ts"
import { localModel } from "../src/embedding/models.ts"
import { joined } from "../src/embedding/runtime/judge.ts"
import { openWordPieces } from "../src/embedding/runtime/word-pieces.ts"
import {
  noteToJudge,
  type PairRelation,
  pairRelations,
  type SentenceInContext,
  sentenceInContext,
  sentenceToJudge,
  taughtTypes,
} from "../src/judgement/judgement.ts"
import { teachableSentences } from "../src/language/read/sentences.ts"
import { type Kind, pairsOfKind } from "./kinds.ts"
import { answersOfSubject, pairsOfSubject, type Subject } from "./subjects.ts"

interface Span {
  text: string
  type: string
}
/** Where a span begins in a prompt, how long it is, and its type: the texts of real prompts are not in the repository. */
type Mark = [at: number, length: number, type: string]
interface Message {
  message: string
  spans: Span[]
  lang: string
}

const [out = "rows.jsonl", promptsFile] = process.argv.slice(2)
const data = join(import.meta.dirname, "data")
const rows = <T>(file: string): T[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => JSON.parse(line) as T)
    : []

/** A sentence teaches if a span lies in it, or it in a span, by at least half of the shorter one. */
function labelOf(unit: string, spans: readonly Span[]): string {
  for (const { text, type } of spans) {
    const [a, b] = [plain(unit), plain(text)]
    if (a.includes(b) || b.includes(a) || overlap(a, b) >= Math.min(a.length, b.length) / 2) return type
  }
  return "nothing"
}
const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** The longest run of words that both have, in characters. */
function overlap(a: string, b: string): number {
  const words = a.split(" ")
  let most = 0
  for (let from = 0; from < words.length; from += 1) {
    for (let to = words.length; to > from; to -= 1) {
      const run = words.slice(from, to).join(" ")
      if (run.length <= most) break
      if (` ${b} `.includes(` ${run} `)) most = run.length
    }
  }
  return most
}

/** A note with questions that it answers, and others near it that it does not, each with a note that does. */
interface Answering {
  note: string
  answered: string[]
  near: string[]
  twins?: string[]
  lang: string
}
interface Asked {
  author: string
  /** Whether the note answers it, lies near it, is near it in meaning alone, or it is a prompt of a stranger. */
  kind: "answers" | "near" | "other" | "strange"
  question: string
  note: string
  lang: string
  isOfSubject?: boolean
}

/** What a question beside a note counts: those that only stand near each other in meaning are many. */
const weights: Record<Asked["kind"], number> = { answers: 1, near: 1, other: 0.3, strange: 0.3 }

interface Sentence extends SentenceInContext {
  author: string
  message: string
  lang: string
  label: string
}
interface Pair {
  old: string
  new: string
  label: PairRelation
  lang: string
  origin?: string
}

const none = new Float32Array()
const closing: (() => unknown)[] = []
const say = (text: string) => process.stderr.write(`${text}\n`)
const bench = { say, options: {}, atEnd: (work: () => unknown) => closing.push(work) }
const embedder = await openBenchEmbedder(bench as unknown as Bench, "all-MiniLM-L6-v2")
const vectorsOf = async (texts: string[]) => (await embedder.embed(texts)).map(({ vector }) => vector)

const teaches: Sentence[] = []
/** All notes of a world, by its author. */
const notesOf = new Map<string, string[]>()
const pairs: (Pair & { author: string })[] = []
const answers: Asked[] = []
for (const author of readdirSync(data, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  const folder = join(data, author.name)
  for (const [index, row] of rows<Message>(join(folder, "messages.jsonl")).entries())
    add(author.name, `${index}`, row)
  for (const row of rows<Pair>(join(folder, "pairs.jsonl"))) pairs.push({ author: author.name, ...row })
  for (const subject of rows<Subject>(join(folder, "subjects.jsonl"))) {
    for (const pair of pairsOfSubject(subject)) pairs.push({ author: author.name, ...pair })
    for (const asked of answersOfSubject(subject))
      answers.push({ author: author.name, ...asked, isOfSubject: true })
  }
  for (const kind of rows<Kind>(join(folder, "kinds.jsonl")))
    for (const pair of pairsOfKind(kind)) pairs.push({ author: author.name, ...pair })
  const store = join(folder, "store.json")
  const noted: string[] = existsSync(store) ? JSON.parse(readFileSync(store, "utf8")).notes : []
  if (noted.length > 0) notesOf.set(author.name, noted)
  for (const { note, answered, near, twins = [], lang } of rows<Answering>(join(folder, "answers.jsonl"))) {
    notesOf.set(author.name, [...(notesOf.get(author.name) ?? []), note, ...twins])
    const ask = (kind: Asked["kind"], question: string | undefined, beside: string | undefined) => {
      if (question === undefined || beside === undefined) return
      answers.push({ author: author.name, kind, question, note: beside, lang })
    }
    answered.forEach((question, place) => {
      ask("answers", question, note)
      ask("near", question, twins[place])
    })
    near.forEach((question, place) => {
      ask("answers", question, twins[place])
      ask("near", question, note)
    })
  }
}
if (promptsFile !== undefined) {
  const texts = new Map(
    rows<{ id: string; source: string; text: string }>(promptsFile).map((row) => [row.id, row] as const),
  )
  const read = (text: string, marks: Mark[]) =>
    marks.map(([at, length, type]) => ({ text: text.slice(at, at + length), type }))
  for (const { id, a, b } of rows<{ id: string; a: Mark[]; b: Mark[] }>(join(data, "prompt-labels.jsonl"))) {
    const prompt = texts.get(id)
    if (prompt === undefined) continue
    const row = { message: prompt.text, spans: read(prompt.text, a), lang: "en" }
    add(`prompts:${prompt.source}`, id, row, read(prompt.text, b))
  }
}
/** Where two readers disagree the label is "doubt": it is neither trained on nor counted. */
function add(author: string, message: string, row: Message, second?: readonly Span[]): void {
  const units = teachableSentences(row.message)
  for (const [index, text] of units.entries()) {
    const [first, other] = [labelOf(text, row.spans), second && labelOf(text, second)]
    const label = other !== undefined && (first === "nothing") !== (other === "nothing") ? "doubt" : first
    teaches.push({
      author,
      message,
      lang: row.lang,
      ...sentenceInContext(units, index),
      label,
    })
  }
}

/** So many notes near a question in meaning are shown with it: among those of its author, and among so many of the others. */
const nearOwn = 2
const nearForeign = 1
const foreignNotes = 3000

/** Questions beside notes that are near them and do not answer, as a search brings them up. */
async function nearest(): Promise<Asked[]> {
  // All wordings of a subject's states answer its questions, also those that are not asked about.
  const single = answers.filter(({ isOfSubject }) => isOfSubject !== true)
  const texts = [...new Map(single.map((one) => [one.note, one])).values()]
  const vectors = await vectorsOf(texts.map(({ note }) => note))
  const notes = texts.map(({ note, author }, place) => ({ note, author, vector: vectors[place] ?? none }))
  const notesBy = Map.groupBy(notes, ({ author }) => author)
  const some = notes.filter((_, place) => place % Math.ceil(notes.length / foreignNotes) === 0)
  const shown = new Set(single.map(({ question, note }) => `${question}\n${note}`))
  const prompts = teaches
    .filter(({ author, text }) => author.startsWith("prompts:") && text.split(/\s+/).length > 3)
    .map(({ author, text, lang }): Asked => ({ author, kind: "strange", question: text, note: "", lang }))
  const asked = [...single.filter(({ kind }) => kind === "answers"), ...prompts]
  const questions = await vectorsOf(asked.map(({ question }) => question))
  return asked.flatMap((one, index) => {
    const question = questions[index] ?? none
    const best = (among: typeof notes, most: number) =>
      among
        .filter(({ note }) => !shown.has(`${one.question}\n${note}`))
        .map(({ note, vector }) => ({ note, cosine: dot(question, vector) }))
        .sort((x, y) => y.cosine - x.cosine)
        .slice(0, most)
    const foreign = some.filter(({ author }) => author !== one.author)
    const found = [...best(notesBy.get(one.author) ?? [], nearOwn), ...best(foreign, nearForeign)]
    return found.map(
      ({ note }): Asked => ({ ...one, note, kind: one.kind === "strange" ? "strange" : "other" }),
    )
  })
}

/** So many notes of an author are put beside one of the few that are nearest to it. */
const notesBeside = 500
const fewNearest = 6
/** Nearer ones may say the same; farther ones are never compared. */
const [leastNear, mostNear] = [0.2, 0.86]
const aboutTheSame = 0.5

/** Notes of one world, which all hold, beside those that are nearest to them: none updates another. */
async function besideEachOther(): Promise<(Pair & { author: string })[]> {
  const found: (Pair & { author: string })[] = []
  for (const [author, written] of notesOf) {
    const notes = [...new Set(written)]
    const vectors = await vectorsOf(notes)
    const step = Math.max(1, Math.floor(notes.length / notesBeside))
    for (let at = 0; at < notes.length; at += step) {
      const own = vectors[at] ?? new Float32Array()
      const near = vectors
        .map((vector, place) => ({ place, cosine: place === at ? -1 : dot(own, vector) }))
        .sort((a, b) => b.cosine - a.cosine)
      const { place = 0, cosine = 0 } = near[at % fewNearest] ?? {}
      if (cosine < leastNear || cosine > mostNear) continue
      const label = cosine >= aboutTheSame ? "compatible" : "unrelated"
      found.push({ author, old: notes[place] ?? "", new: notes[at] ?? "", label, lang: "en" })
    }
  }
  return found
}

/** So many notes near each note of an author's pairs are put beside it, for teachers to judge. */
const nearToJudge = 3
/** Nearer ones say the same; farther ones are seldom compared. */
const [leastJudged, mostJudged] = [0.3, 0.97]

/** Notes of one author's pairs beside others of them that nobody labelled: what teachers say of these is learned too. */
async function besideUnlabelled(): Promise<(Omit<Pair, "label"> & { author: string })[]> {
  const known = new Set(pairs.flatMap((row) => [`${row.old}\n${row.new}`, `${row.new}\n${row.old}`]))
  const found: (Omit<Pair, "label"> & { author: string })[] = []
  for (const [author, own] of Map.groupBy(pairs, (row) => row.author)) {
    const langs = new Map(own.flatMap((row) => [[row.old, row.lang] as const, [row.new, row.lang] as const]))
    const notes = [...langs.keys()]
    const vectors = await vectorsOf(notes)
    for (const [at, note] of notes.entries()) {
      const vector = vectors[at] ?? new Float32Array()
      const near = vectors
        .map((other, place) => ({ place, cosine: place === at ? -1 : dot(vector, other) }))
        .filter(({ place, cosine }) => {
          return cosine >= leastJudged && cosine <= mostJudged && !known.has(`${notes[place]}\n${note}`)
        })
        .sort((a, b) => b.cosine - a.cosine)
        .slice(0, nearToJudge)
      for (const { place } of near)
        found.push({ author, old: notes[place] ?? "", new: note, lang: langs.get(note) ?? "en" })
    }
  }
  return found
}

const { name, precision, tokenizer } = localModel("all-MiniLM-L6-v2", "int8")
const modelFolder = join(pathsFor(readEnvironment()).modelsDir, `${name}-${precision}`)
const words = openWordPieces(readFileSync(join(modelFolder, tokenizer.name), "utf8"))
const made: string[] = []

/** One row: whose, of which task and label (-1: none), how much it counts, its word pieces, how many are of the first text. */
function write(
  task: "teaches" | "relates" | "answers",
  { author, lang }: { author: string; lang: string },
  row: { label: number; key: string; weight: number; group?: string; kind?: Asked["kind"] },
  texts: ToJudge,
): void {
  const { ids, segments } = joined(words, texts)
  const first = segments.indexOf(1)
  made.push(JSON.stringify({ task, author, lang, ...row, ids, first, texts: [texts.first, texts.second] }))
}

for (const [number, row] of teaches.entries()) {
  const label = (taughtTypes as readonly string[]).indexOf(row.label)
  const key = `${row.author}/${row.message}/${number}`
  if (row.label !== "doubt") write("teaches", row, { label, key, weight: 1 }, sentenceToJudge(row))
}
for (const [number, row] of [...pairs, ...(await besideEachOther())].entries()) {
  const label = pairRelations.indexOf(row.label)
  const weight = row.origin === undefined ? 1 : 0.5
  write("relates", row, { label, key: `${number}`, weight }, { first: row.old, second: row.new })
  // What holds beside the other, repeats it, cannot hold beside it or has nothing to do with it does so the other way round too.
  write("relates", row, { label, key: `${number}~`, weight: weight / 2 }, { first: row.new, second: row.old })
}
for (const [number, row] of (await besideUnlabelled()).entries()) {
  const told = { label: -1, key: `unlabelled/${number}`, weight: 0.5 }
  write("relates", row, told, { first: row.old, second: row.new })
}
for (const [number, row] of [...answers, ...(await nearest())].entries()) {
  const { author, kind, question, note } = row
  const label = Number(kind === "answers")
  const key = `${author}/${kind}/${number}`
  const told = { label, key, weight: weights[kind], group: `${author}/${question}`, kind }
  write("answers", row, told, noteToJudge(question, note))
}
writeFileSync(out, `${made.join("\n")}\n`)
process.stdout.write(`${made.length} rows\n`)
for (const work of closing) await work()
