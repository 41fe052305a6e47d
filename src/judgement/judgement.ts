import type { Embedder, EmbedOptions, ToJudge } from "../embedding/embedder.ts"
import type { JudgeCard } from "../embedding/judge-card.ts"

/** What a sentence of a message teaches, if anything, with how sure the model is of each. */
export const taughtTypes = [
  "nothing",
  "fact",
  "preference",
  "prohibition",
  "procedure",
  "decision",
  "correction",
] as const
export type TaughtType = (typeof taughtTypes)[number]

/**
 * How a newer note relates to an older one.
 * @internal exported for the scripted model of tests
 */
export const pairRelations = ["unrelated", "compatible", "duplicate", "update"] as const
export type PairRelation = (typeof pairRelations)[number]

/** A sentence with all that stands before and after it in its message. */
export interface SentenceInContext {
  text: string
  before: string
  after: string
}

/** What a small trained model says where rules know nothing. It proposes; it never merges and never replaces by itself. */
export interface Judgement {
  /** Which model judges, as it is noted beside every decision it touches. */
  readonly version: string
  /** From which probability on something is acted on; set on texts the model did not learn from. */
  readonly thresholds: JudgeCard["thresholds"]
  teaches(sentences: readonly SentenceInContext[]): Promise<Record<TaughtType, number>[]>
  relates(
    pairs: readonly { older: string; newer: string }[],
    options?: Pick<EmbedOptions, "urgent">,
  ): Promise<Record<PairRelation, number>[]>
  /** How likely each note answers what is asked, or helps with it; undefined where the model was not trained for that. */
  answers(question: string, notes: readonly string[]): Promise<number[] | undefined>
}

/** So much of what stands before and after a sentence, and of a note, is looked at. */
const mostAround = 240
const mostOfNote = 400

/** The judgement of an embedder that carries a trained model; undefined for one that does not. */
export function judgementOf(embedder: Embedder | undefined): Judgement | undefined {
  const { judge } = embedder ?? {}
  if (judge === undefined) return undefined
  const { card } = judge
  return {
    version: card.version,
    thresholds: card.thresholds,
    async teaches(sentences) {
      const judged = await judge.ask(sentences.map(sentenceToJudge))
      return judged.map(({ teaches = [] }) => named(taughtTypes, teaches))
    },
    async relates(pairs, options) {
      const judged = await judge.ask(
        pairs.map(({ older, newer }) => ({ first: older, second: newer })),
        options,
      )
      return judged.map(({ relates = [] }) => named(pairRelations, relates))
    },
    async answers(question, notes) {
      if (!card.answers) return undefined
      const judged = await judge.ask(
        notes.map((note) => noteToJudge(question, note)),
        { urgent: true },
      )
      return judged.map(({ answers: [, likely = 0] = [] }) => likely)
    },
  }
}

/** One sentence of a message, given all of them in order. */
export function around(sentences: readonly string[], at: number): SentenceInContext {
  return {
    text: sentences[at] ?? "",
    before: sentences.slice(0, at).join(" "),
    after: sentences.slice(at + 1).join(" "),
  }
}

/**
 * A sentence, and beside it what stands before and after.
 * @internal exported for training/prepare.ts
 */
export function sentenceToJudge({ text, before, after }: SentenceInContext): ToJudge {
  const around = [before.slice(-mostAround), after.slice(0, mostAround)].filter((part) => part !== "")
  return { first: text, second: around.join(" … ") }
}

/**
 * A note, and beside it what somebody asks or wants.
 * @internal exported for training/prepare.ts
 */
export function noteToJudge(question: string, note: string): ToJudge {
  return { first: note.slice(0, mostOfNote), second: question }
}

function named<T extends string>(names: readonly T[], values: readonly number[]): Record<T, number> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? 0])) as Record<T, number>
}
