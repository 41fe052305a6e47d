import type { Claim } from "../../src/memory/extract/claim.ts"
import { type LabelledPrompt, loadAuthors, loadPrompts, type Marked, titleOf } from "../judgement/authors.ts"
import { shareOf } from "../judgement/interval.ts"
import type { Bench, Figure } from "../shared/figures.ts"

/** A text with the passages that teach something, and those of which readers disagree. */
export interface Labelled {
  title: string
  text: string
  wanted: string[]
  doubtful: string[]
}

/** What was learned of a text: at once, and pending until it is said again or confirmed. */
export interface Read extends Labelled {
  told: Claim[]
  supposed: Claim[]
}

/** The messages of the training data's authors, of all or only some, and of a folder of real prompts where one is given. */
export function loadLabelled(only: string | undefined, prompts: string | undefined): Labelled[] {
  return [...authorRows(only), ...(prompts === undefined ? [] : promptRows(loadPrompts(prompts)))]
}

function authorRows(only: string | undefined): Labelled[] {
  return loadAuthors(only).flatMap((author) =>
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

/** Recall and precision of what was learned, each author, language group and repository apart, in the rows' order. */
export function figuresByTitle(rows: readonly Read[]): Figure[] {
  const byTitle = Map.groupBy(rows, ({ title }) => title)
  return [...byTitle].flatMap(([title, own]) => figuresOf(title, own))
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

/** Prints what was wrongly learned, where that was asked for. */
export function sayWrong(bench: Bench, rows: readonly Read[]): void {
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
