import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { findJudge } from "../../src/embedding/judge-card.ts"

const data = fileURLToPath(new URL("../../training/data", import.meta.url))

const pair = z.object({
  old: z.string(),
  new: z.string(),
  label: z.enum(["update", "compatible", "duplicate", "unrelated"]),
  lang: z.string(),
})
const message = z.object({
  message: z.string(),
  spans: z.array(z.object({ text: z.string(), type: z.string() })),
  lang: z.string(),
})
export type PairRow = z.infer<typeof pair>
type MessageRow = z.infer<typeof message>

/** One author's rows, and whether the trained model learned from any of them. */
export interface Author {
  name: string
  isLeftOut: boolean
  pairs: PairRow[]
  messages: MessageRow[]
  /** Notes of one world, which all hold together. */
  notes: string[]
  /** Questions that one of the notes answers, by its place. */
  answerable: { question: string; note: number }[]
  /** Questions about the same that none of them answers. */
  unanswerable: string[]
}

/** All authors of the training data, those that were left out of the training first. */
export function loadAuthors(only?: string): Author[] {
  const leftOut = namesLeftOut()
  return readdirSync(data, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      isLeftOut: leftOut.has(name),
      pairs: rowsIn(join(data, name, "pairs.jsonl"), pair),
      messages: rowsIn(join(data, name, "messages.jsonl"), message),
      ...storeIn(join(data, name, "store.json")),
    }))
    .filter(
      ({ name, isLeftOut }) => only === undefined || only === name || (only === "left-out" && isLeftOut),
    )
    .sort((a, b) => Number(b.isLeftOut) - Number(a.isLeftOut) || (a.name < b.name ? -1 : 1))
}

/** The authors and repositories that took no part in the training of the model that is here. */
function namesLeftOut(): Set<string> {
  return new Set(findJudge("all-MiniLM-L6-v2")?.card.leftOut ?? [])
}

/** How a row of a table begins: what the model learned from is never the headline. */
export function titleOf({ name, isLeftOut }: Pick<Author, "name" | "isLeftOut">): string {
  return `${isLeftOut ? "left-out" : "seen-in-training"}.${name}`
}

function rowsIn<T>(file: string, row: z.ZodType<T>): T[] {
  if (!existsSync(file)) return []
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => row.parse(JSON.parse(line)))
}

const store = z.object({
  notes: z.array(z.string()),
  answerable: z.array(z.object({ question: z.string(), note: z.number() })),
  unanswerable: z.array(z.string()),
})

/** An author's notes and questions; empty where there are none. */
export function storeIn(file: string): z.infer<typeof store> {
  if (!existsSync(file)) return { notes: [], answerable: [], unanswerable: [] }
  return store.parse(JSON.parse(readFileSync(file, "utf8")))
}

const mark = z.tuple([z.number(), z.number(), z.string()])
const labels = z.object({ id: z.string(), a: z.array(mark), b: z.array(mark) })
const prompt = z.object({ id: z.string(), source: z.string(), text: z.string() })

/** Where something durable is said in a prompt, as one reader marked it. */
export interface Marked {
  begin: number
  end: number
}
/** A real prompt with what two readers marked in it independently. */
export interface LabelledPrompt {
  source: string
  isLeftOut: boolean
  text: string
  a: Marked[]
  b: Marked[]
}

/** The real prompts of a folder of data that two readers labelled. */
export function loadPrompts(folder: string): LabelledPrompt[] {
  const leftOut = namesLeftOut()
  const texts = new Map(rowsIn(join(folder, "real-prompts.jsonl"), prompt).map((row) => [row.id, row]))
  const range = ([begin, length]: z.infer<typeof mark>) => ({ begin, end: begin + length })
  return rowsIn(join(data, "prompt-labels.jsonl"), labels).flatMap(({ id, a, b }) => {
    const found = texts.get(id)
    if (found === undefined) return []
    const { source, text } = found
    return [{ source, text, isLeftOut: leftOut.has(`prompts:${source}`), a: a.map(range), b: b.map(range) }]
  })
}
