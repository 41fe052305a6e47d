import type { Embedder, EmbedOptions, ToJudge } from "../embedding/embedder.ts"
import type { JudgeCard } from "../embedding/judge-card.ts"

/** What a sentence of a message may teach. */
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

/** A sentence with the text before and after it in its message. */
export interface SentenceInContext {
  text: string
  before: string
  after: string
}

/** The answers of the small trained model. It proposes; it never merges or replaces anything by itself. */
export interface Judgement {
  /** The model's version, stored with every decision it influenced. */
  readonly version: string
  /** The probabilities from which an answer counts; set on texts that the model was not trained on. */
  readonly thresholds: JudgeCard["thresholds"]
  teaches(sentences: readonly SentenceInContext[]): Promise<Record<TaughtType, number>[]>
  relates(
    pairs: readonly { older: string; newer: string }[],
    options?: Pick<EmbedOptions, "urgent">,
  ): Promise<Record<PairRelation, number>[]>
  /** The probability that each note answers the question; undefined if the model was not trained for that. */
  answers(question: string, notes: readonly string[]): Promise<number[] | undefined>
}

/** At most this many characters before and after a sentence, and of a note, are judged. */
const contextLength = 240
const noteLength = 400

/** The trained model of an embedder; undefined if it has none. */
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
      return judged.map(({ answers }) => answers?.[1] ?? 0)
    },
  }
}

/** A sentence of a message with its context. */
export function sentenceInContext(sentences: readonly string[], at: number): SentenceInContext {
  return {
    text: sentences[at] ?? "",
    before: sentences.slice(0, at).join(" "),
    after: sentences.slice(at + 1).join(" "),
  }
}

/** @internal exported for training/prepare.ts */
export function sentenceToJudge({ text, before, after }: SentenceInContext): ToJudge {
  const sentenceInContext = [before.slice(-contextLength), after.slice(0, contextLength)].filter(
    (part) => part !== "",
  )
  return { first: text, second: sentenceInContext.join(" … ") }
}

/** @internal exported for training/prepare.ts */
export function noteToJudge(question: string, note: string): ToJudge {
  return { first: note.slice(0, noteLength), second: question }
}

function named<T extends string>(names: readonly T[], values: readonly number[]): Record<T, number> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? 0])) as Record<T, number>
}
