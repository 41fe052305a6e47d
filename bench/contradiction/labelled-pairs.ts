import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { UserError } from "../../src/base/errors.ts"

/** Two statements with what people say about them. */
export interface LabelledPair {
  set: "breaking-nli" | "sick" | "sts" | "judgement" | "agent"
  category: string
  label: "opposite" | "paraphrase" | "neither"
  older: string
  newer: string
}

/** Every labelled pair there is: our own, and those of the public sets in the data folder. */
export function loadPairs(): LabelledPair[] {
  const data =
    process.env.REVERIE_BENCH_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url))
  const folder = join(data, "pairs")
  const files = filesIn(folder)
  const read = (pattern: RegExp, parse: (text: string) => LabelledPair[]) =>
    files
      .filter((name) => pattern.test(name))
      .flatMap((name) => parse(readFileSync(join(folder, name), "utf8")))
  const breaking = read(/^breaking-nli.*\.jsonl$/, parseBreaking)
  const sick = read(/^sick.*\.tsv$/, parseSick)
  if (breaking.length + sick.length === 0) throw missing(folder)
  const sts = read(/^stsb.*\.tsv$/, parseSts)
  return [...breaking, ...sick, ...sts, ...judgementPairs(join(data, "judgement")), ...agentPairs()]
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (cause) {
    throw missing(folder, cause)
  }
}

function missing(folder: string, cause?: unknown): UserError {
  const sentence = `There are no breaking-nli*.jsonl and sick*.tsv in ${folder}; set REVERIE_BENCH_DATA to a folder that holds pairs/ with both.`
  return new UserError("not-found", sentence, { cause })
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "")
}

const breakingSchema = z.object({
  sentence1: z.string(),
  sentence2: z.string(),
  category: z.string(),
  gold_label: z.string(),
})

/** One word is exchanged in each pair; what follows from it is taken for a paraphrase. */
function parseBreaking(text: string): LabelledPair[] {
  return linesOf(text).map((line) => {
    const row = breakingSchema.parse(JSON.parse(line))
    const label = breakingLabels[row.gold_label] ?? "neither"
    return { set: "breaking-nli", category: row.category, label, older: row.sentence1, newer: row.sentence2 }
  })
}

const breakingLabels: Readonly<Record<string, LabelledPair["label"]>> = {
  contradiction: "opposite",
  entailment: "paraphrase",
}

/** SICK tells in one direction only what follows: with a relatedness of 4.5 and more it is a paraphrase. */
const leastRelated = 4.5

function parseSick(text: string): LabelledPair[] {
  const [head = "", ...rows] = linesOf(text)
  const columns = head.trim().split("\t")
  const at = (name: string) => columns.findIndex((column) => column.startsWith(name))
  const [first, second, score, judgment] = ["sentence_A", "sentence_B", "relatedness", "entailment_"].map(at)
  return rows.map((row) => {
    const cells = row.split("\t")
    const cell = (index = -1) => cells[index]?.trim() ?? ""
    const judged = cell(judgment).toUpperCase()
    const paraphrase = judged === "ENTAILMENT" && Number(cell(score)) >= leastRelated
    const label = judged === "CONTRADICTION" ? "opposite" : paraphrase ? "paraphrase" : "neither"
    return { set: "sick", category: "all", label, older: cell(first), newer: cell(second) }
  })
}

/** The STS benchmark rates likeness from 0 to 5; it does not tell opposites. */
function parseSts(text: string): LabelledPair[] {
  return linesOf(text).map((row) => {
    const [, , , , score, older = "", newer = ""] = row.split("\t")
    const label = Number(score) >= leastRelated ? "paraphrase" : "neither"
    return { set: "sts", category: "all", label, older, newer }
  })
}

const judgementSchema = z.object({
  old: z.string(),
  new: z.string(),
  label: z.enum(["update", "compatible", "duplicate", "unrelated"]),
  lang: z.string(),
  origin: z.string(),
})

const judgementLabels = {
  update: "opposite",
  duplicate: "paraphrase",
  compatible: "neither",
  unrelated: "neither",
} as const

/** Notes and their updates by an author who never saw the rules or the lists: nobody tunes on them. */
function judgementPairs(folder: string): LabelledPair[] {
  const files = filesIn(folder).filter((name) => /^pairs.*\.jsonl$/.test(name))
  return files.flatMap((name) =>
    linesOf(readFileSync(join(folder, name), "utf8")).map((line) => {
      const row = judgementSchema.parse(JSON.parse(line))
      const category = row.lang === "en" ? row.origin : "other-languages"
      return { set: "judgement", category, label: judgementLabels[row.label], older: row.old, newer: row.new }
    }),
  )
}

const agentSchema = z.object({
  category: z.string(),
  relation: z.enum(["contradicts", "same", "differs"]),
  older: z.string(),
  newer: z.string(),
})

const agentLabels = { contradicts: "opposite", same: "paraphrase", differs: "neither" } as const

/** Pairs as coding agents store them, written for this benchmark. */
function agentPairs(): LabelledPair[] {
  const file = new URL("../data/agent-pairs.jsonl", import.meta.url)
  return linesOf(readFileSync(file, "utf8")).map((line) => {
    const { category, relation, older, newer } = agentSchema.parse(JSON.parse(line))
    return { set: "agent", category, label: agentLabels[relation], older, newer }
  })
}
