import type { Embedder } from "../src/embedding/embedder.ts"
import { type PairRelation, pairRelations, type TaughtType, taughtTypes } from "../src/judgement/judgement.ts"

/** What a trained model is made to say; what is not told is "nothing" and "unrelated". */
interface Script {
  /** What the sentences teach that have these words in them, and how sure it is. */
  teaches?: Readonly<Record<string, readonly [type: TaughtType, p: number]>>
  /** How the older and newer text relate that have these words in them, "older words > newer words". */
  relates?: Readonly<Record<string, readonly [relation: PairRelation, p: number]>>
  /** How likely a note answers a question, "words of the note > words of the question"; without it, it is not asked. */
  answers?: Readonly<Record<string, number>>
  /** Called before it answers; may throw. */
  before?: () => void
}

/** An embedder whose trained model says what a test wants, and all it was asked. */
export function withScriptedJudge<Wrapped extends Embedder>(embedder: Wrapped, script: Script) {
  const asked: { first: string; second: string }[] = []
  const ask = async (texts: readonly { first: string; second: string }[]) => {
    if (texts.length > 0) script.before?.()
    asked.push(...texts)
    return texts.map(({ first, second }) => ({
      teaches: shares(
        taughtTypes,
        "nothing",
        find(script.teaches, (words) => first.includes(words)),
      ),
      relates: shares(
        pairRelations,
        "unrelated",
        find(script.relates, (words) => {
          const [older = "", newer = ""] = words.split(" > ")
          return first.includes(older) && second.includes(newer)
        }),
      ),
      answers: answering(
        find(script.answers, (words) => {
          const [note = "", question = ""] = words.split(" > ")
          return first.includes(note) && second.includes(question)
        }),
      ),
    }))
  }
  const thresholds = {
    teaches: { sure: 0.9, pending: 0.8, once: 0.97, onceElsewhere: 0.99 },
    compared: 0.4,
    update: 0.8,
    duplicate: 0.9,
  }
  const card = {
    version: "scripted.1",
    sha256: "",
    base: embedder.model,
    thresholds,
    answers: script.answers !== undefined,
    leftOut: [],
  }
  return { ...embedder, judge: { card, ask }, judgeAsked: asked }
}

function answering(likely = 0.01): number[] {
  return [1 - likely, likely]
}

function find<T>(
  table: Readonly<Record<string, T>> | undefined,
  isMeant: (words: string) => boolean,
): T | undefined {
  return Object.entries(table ?? {}).find(([words]) => isMeant(words))?.[1]
}

function shares<Name extends string>(
  names: readonly Name[],
  otherwise: Name,
  said: readonly [Name, number] | undefined,
): number[] {
  const [name, p] = said ?? [otherwise, 1]
  return names.map((one) => (one === name ? p : one === otherwise ? 1 - p : 0))
}
