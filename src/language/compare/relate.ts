import { differInCase } from "../read/letter-case.ts"
import { longestText } from "../read/scan.ts"
import { questionsMarked } from "../read/sentences.ts"
import { readStatement, type Statement } from "../read/statement.ts"
import { compareStatements } from "./compare-statements.ts"
import {
  compareOtherLanguage,
  type LanguageTraces,
  languageTraces,
  sharedLanguage,
} from "./other-languages.ts"
import type { Relation } from "./relation.ts"
import { haveSameWords, otherReadings } from "./word-orders.ts"

/**
 * Decides from the words how two statements relate; `similarity` is the cosine of their embeddings. Statements that may
 * oppose each other are never "same". The kind of the answer does not depend on which statement is older.
 */
export function relate(older: string, newer: string, similarity?: number): Relation {
  const [first, second] = [normalized(older), normalized(newer)]
  if (first === second) return { kind: "same" }
  if (first.length > longestText || second.length > longestText)
    return { kind: "differs", reason: "too long" }
  if (nameDifferentThings(first, second)) return { kind: "differs", reason: "they name different things" }
  const isTurned = first > second
  const [a, b] = isTurned ? [second, first] : [first, second]
  const relation = relateInOrder(a, b, similarity)
  if (relation.kind === "same" && differInCase(a, b)) {
    return { kind: "differs", reason: "they differ in letters that matter" }
  }
  if (!isTurned || relation.kind !== "contradicts") return relation
  const { by, older: inA, newer: inB } = relation.reason
  return { kind: "contradicts", reason: { by, older: inB, newer: inA } }
}

/** Whether both begin with a name that has a number in it, and the names differ: ABC-101, checkout_v2. */
function nameDifferentThings(a: string, b: string): boolean {
  const [one, other] = [namedFirst(a), namedFirst(b)]
  return one !== undefined && other !== undefined && one !== other
}

/** The name with a number in it among the first words, before any verb. */
function namedFirst(text: string): string | undefined {
  for (const word of text.split(" ").slice(0, 3)) {
    const plain = word.replace(/(?<![.,:;!?])[.,:;!?]+$/, "")
    if (/^[\p{L}][\p{L}\d]*[-_]v?\d+$/u.test(plain)) return plain.toLowerCase()
    if (firstVerbs.has(plain.toLowerCase())) return undefined
  }
  return undefined
}

const firstVerbs = new Set(
  "is are was were be use uses run runs on with in at to from has have need needs".split(" "),
)

function normalized(text: string): string {
  const plain = text.normalize("NFKC").replaceAll(/\s+/g, " ").trim()
  return plain.replace(leadIn, (_, denial: string) => `${denial} `)
}

/** "Never do any of the following: push" means "never push". */
const leadIn =
  /^(never|don['’]t|do not|must not|you must not|avoid)(?: do)?(?: any| all)?(?: of)?(?: the following| these| this)?(?: things)?: /i

function relateInOrder(a: string, b: string, similarity: number | undefined): Relation {
  const language = sharedLanguage(tracesIn(a), tracesIn(b))
  if (language !== "en") return compareOtherLanguage(a, b, language)
  const tolerance = toleranceFor(similarity)
  const [first, second] = [statementOf(a), statementOf(b)]
  const whole = compareStatements(first, second, tolerance)
  if (whole.kind !== "differs") return whole
  return relateReordered(first, second, tolerance) ?? relateSentences(a, b, tolerance) ?? whole
}

/** What was read from a text: one text is often compared with many others. */
interface Reading {
  traces?: LanguageTraces
  statement?: Statement
}

const readings = new Map<string, Reading>()
const mostReadings = 1000
/** Longer texts are not cached: they are few, and large. */
const longestCached = 1000

function read(text: string): Reading {
  const known = readings.get(text)
  if (known !== undefined) return known
  const fresh: Reading = {}
  if (text.length > longestCached) return fresh
  if (readings.size >= mostReadings) readings.clear()
  readings.set(text, fresh)
  return fresh
}

function tracesIn(text: string): LanguageTraces {
  const reading = read(text)
  reading.traces ??= languageTraces(text)
  return reading.traces
}

function statementOf(text: string): Statement {
  const reading = read(text)
  reading.statement ??= readStatement(text)
  return reading.statement
}

/** Searches for an order of words in which two statements of the same words are the same, or oppose each other. */
function relateReordered(a: Statement, b: Statement, tolerance: number): Relation | undefined {
  if (!haveSameWords(a, b)) return undefined
  const [ofA, ofB] = [otherReadings(a), otherReadings(b)]
  const relations = [
    ...ofA.map((reading) => compareStatements(reading, b, tolerance)),
    ...ofB.map((reading) => compareStatements(a, reading, tolerance)),
  ]
  const decided = relations.find((relation) => relation.kind !== "differs")
  if (decided !== undefined) return decided
  const isSame = ofA.some((inA) => ofB.some((inB) => compareStatements(inA, inB, tolerance).kind === "same"))
  return isSame ? { kind: "same" } : undefined
}

/** From this similarity on, one side may have more words than otherwise. */
export const closeMatch = 0.85

/** How many words more one side may have and still be about the same thing, as a share of their common words. */
function toleranceFor(similarity: number | undefined): number {
  if (similarity === undefined) return 0.2
  if (similarity >= closeMatch) return 0.34
  return similarity < 0.5 ? 0 : 0.2
}

const mostSentences = 6

/** Searches for a sentence that contradicts a sentence of the other text. */
function relateSentences(a: string, b: string, tolerance: number): Relation | undefined {
  const [inA, inB] = [sentences(a), sentences(b)]
  if (inA.length * inB.length <= 1 || inA.length > mostSentences || inB.length > mostSentences)
    return undefined
  const readB = inB.map(statementOf)
  for (const sentence of inA) {
    const statement = statementOf(sentence)
    for (const other of readB) {
      const relation = compareStatements(statement, other, tolerance)
      if (relation.kind === "contradicts") return relation
    }
  }
  return undefined
}

/** The sentences of a text that are understood alone: one that begins with "it" depends on another. */
function sentences(text: string): string[] {
  return questionsMarked(text).filter(
    (sentence) => !/^(?:it|its|they|their|he|she|his|her|this|that|these|those)\b/i.test(sentence),
  )
}
