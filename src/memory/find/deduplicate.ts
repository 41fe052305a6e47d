import { relate } from "../../language/compare/relate.ts"
import { differInCase } from "../../language/read/letter-case.ts"
import { termsOf } from "../../language/terms.ts"
import { wordOverlap } from "../model/words/comparable-text.ts"

/** Texts with at least this word overlap say the same. */
const minOverlap = 0.9
/** Texts with fewer words never count as repetitions. */
const minWords = 3

interface ShownText {
  text: string
  session: string | null
  length: number
  terms: ReadonlySet<number>
  numbers: string
}

/** Recognises texts that only repeat an earlier one. */
export class Deduplicator {
  readonly #shown: ShownText[] = []

  /**
   * Adds a text and returns true, unless it repeats one: nearly the same words with the same numbers and capitals, and no
   * contradiction. A text from another session has another context and may be repeated once.
   */
  add(text: string, session: string | null): boolean {
    const terms = new Set(termsOf(text))
    const one = { text, session, length: text.length, terms, numbers: (text.match(/\d+/g) ?? []).join(" ") }
    const same = terms.size < minWords ? [] : this.#shown.filter((other) => isRepetition(other, one))
    if (same.length > 1 || same.some((other) => session === null || other.session === session)) return false
    this.#shown.push(one)
    return true
  }
}

function isRepetition(a: ShownText, b: ShownText): boolean {
  if (Math.abs(a.length - b.length) > 0.25 * Math.max(a.length, b.length)) return false
  if (a.numbers !== b.numbers || wordOverlap(a.terms, b.terms) < minOverlap) return false
  return !differInCase(a.text, b.text) && relate(a.text, b.text).kind !== "contradicts"
}
