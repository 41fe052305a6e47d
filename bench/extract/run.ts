import { readFileSync } from "node:fs"
import { z } from "zod"
import { UserError } from "../../src/base/errors.ts"
import type { Claim } from "../../src/memory/extract/claim.ts"
import { readTurnsByRules } from "../../src/memory/extract/rules/read-turns.ts"
import type { Turn } from "../../src/sessions/turn.ts"
import { openBenchEmbedder } from "../quality/embedding.ts"
import { dataFolder } from "../shared/data.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"
import { byAuthorFigures } from "./by-author.ts"
import { answersFrom, byModelFigures } from "./by-model.ts"
import { type Labelled, loadLabelled } from "./labelled.ts"
import { leftOutFigures } from "./left-out-author.ts"

/** How much of what people tell is learned by rules alone, and how much of what is learned was told. */
export const extract: Benchmark = {
  about:
    "precision and recall of what is learned from sessions, each author apart, without a model or with one (--model); junk in ordinary talk",
  options: {
    misses: {
      type: "string",
      help: "print what was missed or wrongly learned in one of seen, held-out, fresh, unseen, authors",
    },
    only: {
      type: "string",
      help: "of the training data one author, or left-out for those the model never saw",
    },
    prompts: { type: "boolean", help: "also the real prompts in the data folder that two readers labelled" },
    most: { type: "string", help: "of each author and language only so many messages" },
    model: {
      type: "string",
      help: "have this model read left-out authors' messages, named as for models.extraction; `configured` takes that one",
    },
    record: {
      type: "string",
      help: "with --model: write what it answers to this file; what is in it is not asked again",
    },
    replay: { type: "string", help: "take the answers from such a file, and ask no model" },
  },
  async run(bench) {
    const from = answersFrom(bench.options)
    const rows = labelledRows(bench, from === undefined ? undefined : "left-out")
    if (from) return byModelFigures(bench, rows, from)
    const judged = loadDialogues().map(judge)
    sayMisses(bench, judged)
    const embedder = await openBenchEmbedder(bench, "all-MiniLM-L6-v2")
    return [
      ...(await byAuthorFigures(bench, embedder, rows)),
      ...halves.flatMap((half) => overall(half, ofHalf(judged, half))),
      ...halves.flatMap((half) => byKind(half, ofHalf(judged, half))),
      ...halves.flatMap((half) => junk(half, ofHalf(judged, half))),
      ...leftOutFigures(),
    ]
  },
}

/** The labelled messages that were asked for. */
function labelledRows({ options }: Bench, otherwise: string | undefined): Labelled[] {
  const only = typeof options.only === "string" ? options.only : otherwise
  const rows = loadLabelled(only, options.prompts ? dataFolder("prompts") : undefined)
  if (options.most === undefined) return rows
  const most = Number(options.most)
  if (!Number.isInteger(most) || most < 1) throw new UserError("usage", "--most is a whole number from 1 on.")
  return [...Map.groupBy(rows, ({ title }) => title).values()].flatMap((own) => own.slice(0, most))
}

const halves = ["seen", "held-out", "fresh", "unseen"] as const
type Half = (typeof halves)[number]

const dialogueSchema = z.object({
  kind: z.string(),
  /**
   * Only misses of the seen half were looked at while the rules were written. The fresh ones came in two
   * rounds after that, each mended once; the unseen ones came last, and nothing was mended after them.
   */
  half: z.enum(halves),
  turns: z.array(z.object({ role: z.enum(["user", "assistant", "tool"]), text: z.string() })),
  /** Each thing to be learned, as the words that must be in it. */
  want: z.array(z.array(z.string())),
})
type Dialogue = z.infer<typeof dialogueSchema>

interface Judged extends Dialogue {
  learned: Claim[]
  /** What was learned and was not to be. */
  wrong: Claim[]
  missed: string[][]
}

function loadDialogues(): Dialogue[] {
  const text = readFileSync(new URL("../data/extract.jsonl", import.meta.url), "utf8")
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => dialogueSchema.parse(JSON.parse(line)))
}

function judge(dialogue: Dialogue): Judged {
  const turns = dialogue.turns.map((turn, position): Turn => ({ ...turn, position, at: position }))
  const learned = readTurnsByRules(turns)
  const missed = [...dialogue.want]
  const wrong = learned.filter((claim) => {
    const met = missed.findIndex((words) => isMet(claim, words))
    if (met !== -1) missed.splice(met, 1)
    return met === -1
  })
  return { ...dialogue, learned, wrong, missed }
}

function isMet({ content }: Claim, words: readonly string[]): boolean {
  const text = content.toLowerCase()
  return words.every((word) => text.includes(word))
}

function ofHalf(judged: readonly Judged[], half: Half): Judged[] {
  return judged.filter((one) => one.half === half)
}

function sayMisses(bench: Bench, judged: readonly Judged[]): void {
  for (const { half, kind, turns, wrong, missed } of judged) {
    if (half !== bench.options.misses) continue
    const said = turns.map(({ role, text }) => `${role}: ${text}`).join(" ¦ ")
    for (const claim of wrong) bench.say(`WRONG ${kind}: ${claim.content} (${claim.reason}) <- ${said}`)
    for (const words of missed) bench.say(`MISSED ${kind}: ${words.join(", ")} <- ${said}`)
  }
}

function overall(half: Half, judged: readonly Judged[]): Figure[] {
  if (judged.length === 0) return []
  const learned = sum(judged, (one) => one.learned.length)
  const wrong = sum(judged, (one) => one.wrong.length)
  const wanted = sum(judged, (one) => one.want.length)
  const missed = sum(judged, (one) => one.missed.length)
  return [
    percent(`${half}.precision`, learned - wrong, learned),
    percent(`${half}.recall`, wanted - missed, wanted),
    { id: `${half}.dialogues`, value: judged.length, unit: "dialogues", better: "higher" },
  ]
}

function byKind(half: Half, judged: readonly Judged[]): Figure[] {
  const kinds = [...new Set(judged.filter(({ want }) => want.length > 0).map(({ kind }) => kind))].sort()
  return kinds.map((kind) => {
    const own = judged.filter((one) => one.kind === kind)
    const wanted = sum(own, (one) => one.want.length)
    const missed = sum(own, (one) => one.missed.length)
    return percent(`${half}.${kind}.recall`, wanted - missed, wanted)
  })
}

/** What is learned where there is nothing to learn, for every 100 turns of the user's. */
function junk(half: Half, judged: readonly Judged[]): Figure[] {
  const empty = judged.filter(({ want }) => want.length === 0)
  const talk = empty.filter(({ kind }) => kind === "talk" || kind === "sample")
  const rate = (id: string, some: readonly Judged[]): Figure[] => {
    const turns = sum(some, (one) => one.turns.filter(({ role }) => role === "user").length)
    if (turns === 0) return []
    const value = (100 * sum(some, (one) => one.wrong.length)) / turns
    return [{ id, value, unit: "per 100 turns", better: "lower" }]
  }
  return [...rate(`${half}.junk`, empty), ...rate(`${half}.junk-in-ordinary-talk`, talk)]
}

function percent(id: string, part: number, whole: number): Figure {
  return { id, value: whole === 0 ? 0 : (100 * part) / whole, unit: "%", better: "higher" }
}

function sum<T>(items: readonly T[], pick: (item: T) => number): number {
  return items.reduce((total, item) => total + pick(item), 0)
}
