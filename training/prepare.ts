/**
 * Turns the written rows into what is trained on: sentences with their neighbours, and pairs. It
 * splits messages exactly as the program does. `node training/prepare.ts OUT [PROMPTS]`, where PROMPTS is a file of real
 * prompts whose labels, and nothing else, are in the repository.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openBenchEmbedder } from "../bench/quality/embedding.ts"
import type { Bench } from "../bench/shared/figures.ts"
import { dot } from "../src/base/vector.ts"
import { unitsOf } from "../src/language/units.ts"

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

const [out = "training/out", promptsFile] = process.argv.slice(2)
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
}

const teaches: { author: string; lang: string; text: string }[] = []
const pairs: object[] = []
const answers: Asked[] = []
for (const author of readdirSync(data, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  const folder = join(data, author.name)
  for (const [index, row] of rows<Message>(join(folder, "messages.jsonl")).entries())
    add(author.name, `${index}`, row)
  for (const row of rows<object>(join(folder, "pairs.jsonl"))) pairs.push({ author: author.name, ...row })
  for (const { note, answered, near, twins = [], lang } of rows<Answering>(join(folder, "answers.jsonl"))) {
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
  const units = unitsOf(row.message)
  for (const [index, text] of units.entries()) {
    const [first, other] = [labelOf(text, row.spans), second && labelOf(text, second)]
    const label = other !== undefined && (first === "nothing") !== (other === "nothing") ? "doubt" : first
    teaches.push({
      author,
      message,
      lang: row.lang,
      before: units[index - 1] ?? "",
      text,
      after: units[index + 1] ?? "",
      label,
    })
  }
}

/** So many notes near a question in meaning are shown with it: among those of its author, and of all others. */
const nearOwn = 2
const nearForeign = 1

/** Questions beside notes that are near them and do not answer, as a search brings them up. */
async function nearest(): Promise<Asked[]> {
  const closing: (() => unknown)[] = []
  const say = (text: string) => process.stderr.write(`${text}\n`)
  const bench = { say, options: {}, atEnd: (work: () => unknown) => closing.push(work) }
  const embedder = await openBenchEmbedder(bench as unknown as Bench, "all-MiniLM-L6-v2")
  const vectorsOf = async (texts: string[]) => (await embedder.embed(texts)).map(({ vector }) => vector)
  const authorOf = new Map(answers.map(({ note, author }) => [note, author]))
  const texts = [...authorOf.keys()]
  const vectors = await vectorsOf(texts)
  const own = answers.filter(({ kind }) => kind === "answers")
  const shown = new Set(answers.map(({ question, note }) => `${question}\n${note}`))
  const prompts = teaches
    .filter(({ author, text }) => author.startsWith("prompts:") && text.split(/\s+/).length > 3)
    .map(({ author, text, lang }): Asked => ({ author, kind: "strange", question: text, note: "", lang }))
  const asked = [...own, ...prompts]
  const questions = await vectorsOf(asked.map(({ question }) => question))
  const found = asked.flatMap((one, index) => {
    const question = questions[index] ?? new Float32Array()
    const near = vectors.map((vector) => dot(question, vector))
    const some = (isOwn: boolean, most: number) => {
      const best: number[] = []
      for (const [place, note] of texts.entries()) {
        const last = best[most - 1]
        if (last !== undefined && (near[place] ?? 0) <= (near[last] ?? 0)) continue
        if ((authorOf.get(note) === one.author) !== isOwn || shown.has(`${one.question}\n${note}`)) continue
        best.push(place)
        best.sort((x, y) => (near[y] ?? 0) - (near[x] ?? 0)).splice(most)
      }
      return best.map((place) => texts[place] ?? "")
    }
    const notes = [...some(true, nearOwn), ...some(false, nearForeign)]
    return notes.map((note): Asked => ({ ...one, note, kind: one.kind === "strange" ? "strange" : "other" }))
  })
  for (const work of closing) await work()
  return found
}

mkdirSync(out, { recursive: true })
const write = (name: string, list: object[]) => {
  writeFileSync(join(out, name), `${list.map((row) => JSON.stringify(row)).join("\n")}\n`)
  process.stdout.write(`${name}: ${list.length} rows\n`)
}
write("teaches.jsonl", teaches)
write("pairs.jsonl", pairs)
write("answers.jsonl", [...answers, ...(await nearest())])
