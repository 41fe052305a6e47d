import { differInLetters } from "../read/letter-case.ts"
import { longestText } from "../read/scan.ts"
import { readStatement, type Statement } from "../read/statement.ts"
import { haveSameWords, otherReadings } from "../read/word-orders.ts"
import { judge } from "./judge.ts"
import { judgeForeign, languageOf, type Traces, tracesOf } from "./other-languages.ts"
import type { Relation } from "./relation.ts"

/** What is known about two texts beside their words. */
export interface RelateOptions {
  /** The cosine of their embeddings. */
  similarity?: number
}

/**
 * Decides from the words alone how two statements relate. Nothing that may be opposed is ever "same"; the kind
 * of the answer does not depend on which statement is older.
 */
export function relate(older: string, newer: string, options: RelateOptions = {}): Relation {
  const [first, second] = [normalized(older), normalized(newer)]
  if (first === second) return { kind: "same" }
  if (first.length > longestText || second.length > longestText)
    return { kind: "differs", reason: "too long" }
  if (nameDifferentThings(first, second)) return { kind: "differs", reason: "they name different things" }
  const isTurned = first > second
  const [a, b] = isTurned ? [second, first] : [first, second]
  const relation = relateInOrder(a, b, options)
  if (relation.kind === "same" && differInLetters(a, b)) {
    return { kind: "differs", reason: "they differ in letters that matter" }
  }
  if (!isTurned || relation.kind !== "contradicts") return relation
  const { by, older: inA, newer: inB } = relation.reason
  return { kind: "contradicts", reason: { by, older: inB, newer: inA } }
}

/** Whether both begin by naming something with a number in its name, and not the same: ABC-101, checkout_v2. */
function nameDifferentThings(a: string, b: string): boolean {
  const [one, other] = [namedFirst(a), namedFirst(b)]
  return one !== undefined && other !== undefined && one !== other
}

/** The name with a number in it among the first words, if nothing was said before it. */
function namedFirst(text: string): string | undefined {
  for (const word of text.split(" ").slice(0, 3)) {
    const plain = word.replace(/(?<![.,:;!?])[.,:;!?]+$/, "")
    if (/^[\p{L}][\p{L}\d]*[-_]v?\d+$/u.test(plain)) return plain.toLowerCase()
    if (saying.has(plain.toLowerCase())) return undefined
  }
  return undefined
}

const saying = new Set(
  "is are was were be use uses run runs on with in at to from has have need needs".split(" "),
)

function normalized(text: string): string {
  const plain = text.normalize("NFKC").replaceAll(/\s+/g, " ").trim()
  return plain.replace(leadIn, (_, denial: string) => `${denial} `)
}

/** "Never do any of the following: push" forbids to push, as "never push" does. */
const leadIn =
  /^(never|don['’]t|do not|must not|you must not|avoid)(?: do)?(?: any| all)?(?: of)?(?: the following| these| this)?(?: things)?: /i

function relateInOrder(a: string, b: string, options: RelateOptions): Relation {
  const language = languageOf(tracesIn(a), tracesIn(b))
  if (language !== "en") return judgeForeign(a, b, language)
  const tolerance = toleranceFor(options.similarity)
  const [first, second] = [statementOf(a), statementOf(b)]
  const whole = judge(first, second, tolerance)
  if (whole.kind !== "differs") return whole
  return relateReordered(first, second, tolerance) ?? relateSentences(a, b, tolerance) ?? whole
}

/** What was made of a text the last time: one text is often compared with many others. */
interface Reading {
  traces?: Traces
  statement?: Statement
}

const readings = new Map<string, Reading>()
const readingsKept = 1000
/** Longer ones are read anew: they are few, and large. */
const longestKept = 1000

function read(text: string): Reading {
  const known = readings.get(text)
  if (known !== undefined) return known
  const fresh: Reading = {}
  if (text.length > longestKept) return fresh
  if (readings.size >= readingsKept) readings.clear()
  readings.set(text, fresh)
  return fresh
}

function tracesIn(text: string): Traces {
  const reading = read(text)
  reading.traces ??= tracesOf(text)
  return reading.traces
}

function statementOf(text: string): Statement {
  const reading = read(text)
  reading.statement ??= readStatement(text)
  return reading.statement
}

/** Looks for an order of words in which two statements of the same words are the same, or oppose. */
function relateReordered(a: Statement, b: Statement, tolerance: number): Relation | undefined {
  if (!haveSameWords(a, b)) return undefined
  const [ofA, ofB] = [otherReadings(a), otherReadings(b)]
  const relations = [
    ...ofA.map((reading) => judge(reading, b, tolerance)),
    ...ofB.map((reading) => judge(a, reading, tolerance)),
  ]
  const told = relations.find((relation) => relation.kind !== "differs")
  if (told !== undefined) return told
  const isSame = ofA.some((inA) => ofB.some((inB) => judge(inA, inB, tolerance).kind === "same"))
  return isSame ? { kind: "same" } : undefined
}

/** From this likeness on, one side may say more than otherwise. */
export const closeMatch = 0.85

/** How many words more one side may have, as a share of what both have, to speak of the same thing still. */
function toleranceFor(similarity: number | undefined): number {
  if (similarity === undefined) return 0.2
  if (similarity >= closeMatch) return 0.34
  return similarity < 0.5 ? 0 : 0.2
}

const mostSentences = 6

/** Looks for one sentence of a longer text that contradicts a sentence of the other. */
function relateSentences(a: string, b: string, tolerance: number): Relation | undefined {
  const [inA, inB] = [sentences(a), sentences(b)]
  if (inA.length * inB.length <= 1 || inA.length > mostSentences || inB.length > mostSentences)
    return undefined
  const readB = inB.map(statementOf)
  for (const sentence of inA) {
    const statement = statementOf(sentence)
    for (const other of readB) {
      const relation = judge(statement, other, tolerance)
      if (relation.kind === "contradicts") return relation
    }
  }
  return undefined
}

/** The sentences of a text that can stand alone: one that begins with "it" depends on another. */
function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?;])\s+(?=\S)/)
    .filter((sentence) => !/^(?:it|its|they|their|he|she|his|her|this|that|these|those)\b/i.test(sentence))
}
