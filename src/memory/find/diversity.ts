import { relate } from "../../language/compare/relate.ts"
import { differInLetters } from "../../language/read/letter-case.ts"
import { termsOf } from "../../language/terms.ts"

/** Texts that share this much of their words say the same. */
const repeated = 0.9
/** Texts with fewer words than this are never taken for repetitions. */
const fewest = 3

interface Shown {
  text: string
  session: string | null
  length: number
  terms: ReadonlySet<number>
  numbers: string
}

/** What is shown already, to tell what would only repeat it. */
export class ShownTexts {
  readonly #shown: Shown[] = []

  /**
   * Adds a text, unless it repeats one: nearly the same words, the same numbers among them, and neither opposed nor
   * another option or name by its capitals. What was said in another session has other surroundings and may be repeated
   * once. Tells whether it was added.
   */
  add(text: string, session: string | null): boolean {
    const terms = new Set(termsOf(text))
    const one = { text, session, length: text.length, terms, numbers: (text.match(/\d+/g) ?? []).join(" ") }
    const same = terms.size < fewest ? [] : this.#shown.filter((other) => isRepetition(other, one))
    if (same.length > 1 || same.some((other) => session === null || other.session === session)) return false
    this.#shown.push(one)
    return true
  }
}

function isRepetition(a: Shown, b: Shown): boolean {
  if (Math.abs(a.length - b.length) > 0.25 * Math.max(a.length, b.length)) return false
  if (a.numbers !== b.numbers) return false
  let shared = 0
  for (const term of a.terms) if (b.terms.has(term)) shared += 1
  if (shared / (a.terms.size + b.terms.size - shared) < repeated) return false
  return !differInLetters(a.text, b.text) && relate(a.text, b.text).kind !== "contradicts"
}
