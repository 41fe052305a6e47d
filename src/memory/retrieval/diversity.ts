import { termsOf } from "../terms.ts"

/** Texts that share this much of their words say the same. */
const repeated = 0.9
/** Texts with fewer words than this are never taken for repetitions. */
const fewest = 3

interface Shown {
  length: number
  terms: ReadonlySet<number>
  numbers: string
}

/** What is shown already, to tell what would only repeat it. */
export class ShownTexts {
  readonly #shown: Shown[] = []

  /** Adds a text, unless it repeats one: nearly the same words, the same numbers among them. Tells whether it was added. */
  add(text: string): boolean {
    const terms = new Set(termsOf(text))
    const one = { length: text.length, terms, numbers: (text.match(/\d+/g) ?? []).join(" ") }
    if (terms.size >= fewest && this.#shown.some((other) => isRepetition(other, one))) return false
    this.#shown.push(one)
    return true
  }
}

function isRepetition(a: Shown, b: Shown): boolean {
  if (Math.abs(a.length - b.length) > 0.25 * Math.max(a.length, b.length)) return false
  if (a.numbers !== b.numbers) return false
  let shared = 0
  for (const term of a.terms) if (b.terms.has(term)) shared += 1
  return shared / (a.terms.size + b.terms.size - shared) >= repeated
}
