import { silentLog } from "../../src/base/log.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import type { Claim } from "../../src/memory/extract/claim.ts"
import { hearTurns } from "../../src/memory/extract/hear-turns.ts"
import { type LabelledPrompt, loadAuthors, loadPrompts, type Marked, titleOf } from "../judgement/authors.ts"
import { shareOf } from "../judgement/interval.ts"
import { type Bench, type Figure, median } from "../shared/figures.ts"

/** A text with the passages that teach something, and those of which readers disagree. */
interface Labelled {
  title: string
  text: string
  wanted: string[]
  doubtful: string[]
}

/** What was learned of a text: at once by rules, and pending by the trained model alone. */
interface Read extends Labelled {
  told: Claim[]
  supposed: Claim[]
  ms: number
}

/** Recall and precision of what is learned, each author, language group and repository apart; the unseen ones first. */
export async function byAuthorFigures(
  bench: Bench,
  embedder: Embedder,
  prompts: string | undefined,
): Promise<Figure[]> {
  const rows = [...authorRows(bench), ...(prompts === undefined ? [] : promptRows(loadPrompts(prompts)))]
  const { judge, ...rules } = embedder
  const [on, off] = [await readAll(embedder, rows), await readAll(rules, rows)]
  sayWrong(bench, on)
  const titles = [...new Set(rows.map(({ title }) => title))]
  return [
    ...titles.flatMap((title) =>
      figuresOf(
        title,
        on.filter((row) => row.title === title),
      ),
    ),
    {
      id: "message.median",
      value: median(on.map(({ ms }) => ms)),
      unit: "ms",
      better: "lower",
      baseline: { name: "rules alone", value: median(off.map(({ ms }) => ms)) },
      rows: on.length,
    },
  ]
}

function authorRows(bench: Bench): Labelled[] {
  const { only } = bench.options
  return loadAuthors(typeof only === "string" ? only : undefined).flatMap((author) =>
    author.messages.map(({ message, spans, lang }) => ({
      title: `${titleOf(author)}.${lang === "en" ? "english" : "other-languages"}`,
      text: message,
      wanted: spans.map(({ text }) => text),
      doubtful: [],
    })),
  )
}

/** What both readers marked is wanted; what one of them marked is neither right nor wrong. */
function promptRows(prompts: readonly LabelledPrompt[]): Labelled[] {
  const rows = prompts.map((prompt) => {
    const passage = ({ begin, end }: Marked) => prompt.text.slice(begin, end)
    const meets = (one: Marked, others: readonly Marked[]) =>
      others.some(({ begin, end }) => begin < one.end && one.begin < end)
    const { name, isLeftOut } = { name: `prompts.${prompt.source}`, isLeftOut: prompt.isLeftOut }
    return {
      title: isLeftOut ? titleOf({ name, isLeftOut }) : "seen-in-training.prompts",
      text: prompt.text,
      wanted: prompt.a.filter((one) => meets(one, prompt.b)).map(passage),
      doubtful: [
        ...prompt.a.filter((one) => !meets(one, prompt.b)),
        ...prompt.b.filter((one) => !meets(one, prompt.a)),
      ].map(passage),
    }
  })
  return rows.sort((a, b) => (a.title < b.title ? -1 : 1))
}

async function readAll(embedder: Embedder, rows: readonly Labelled[]): Promise<Read[]> {
  const read: Read[] = []
  for (const row of rows) {
    const began = performance.now()
    const turn = { role: "user" as const, text: row.text, position: 0, at: 0 }
    const heard = await hearTurns({ embedder, log: silentLog }, [turn], 0)
    read.push({ ...row, ...heard, ms: performance.now() - began })
  }
  return read
}

function figuresOf(title: string, rows: readonly Read[]): Figure[] {
  return [
    ...measured(`${title}.at-once`, rows, ({ told }) => told),
    ...measured(`${title}.pending`, rows, ({ supposed }) => supposed),
    ...measured(`${title}.both`, rows, ({ told, supposed }) => [...told, ...supposed]).slice(0, 1),
  ]
}

function measured(id: string, rows: readonly Read[], pick: (row: Read) => Claim[]): Figure[] {
  let [wanted, met, right, learned] = [0, 0, 0, 0]
  for (const row of rows) {
    const claims = pick(row).map(({ content }) => content)
    wanted += row.wanted.length
    met += row.wanted.filter((passage) => claims.some((claim) => isOf(claim, passage))).length
    for (const claim of claims) {
      const isRight = row.wanted.some((passage) => isOf(claim, passage))
      if (!isRight && row.doubtful.some((passage) => isOf(claim, passage))) continue
      learned += 1
      if (isRight) right += 1
    }
  }
  return [
    shareOf(`${id}.recall`, met, wanted, "higher"),
    shareOf(`${id}.precision`, right, learned, "higher"),
  ]
}

function sayWrong(bench: Bench, rows: readonly Read[]): void {
  if (bench.options.misses !== "authors") return
  for (const { title, wanted, doubtful, told, supposed } of rows)
    for (const claim of [...told, ...supposed])
      if (![...wanted, ...doubtful].some((passage) => isOf(claim.content, passage)))
        bench.say(`WRONG ${title}: ${claim.content} (${claim.reason})`)
}

/** Of the shorter text, so much in one run or the same words makes a claim one of that passage. */
const enough = 0.5

/** Whether a claim was taken from a passage: the rules word it anew, so shared words count. */
function isOf(claim: string, passage: string): boolean {
  const [a, b] = [wordsOf(claim), wordsOf(passage)]
  const known = new Set(b)
  const shared = a.filter((word) => known.has(word)).length
  return shared >= enough * Math.max(1, Math.min(a.length, b.length))
}

/** Words of languages with spaces; single signs of the others. */
function wordsOf(text: string): string[] {
  return (
    text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? []
  )
}
