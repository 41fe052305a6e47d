import { termsOf } from "../../../language/terms.ts"
import { contentKey } from "../memory.ts"

/** A text with what a quick look needs. */
export interface Wording {
  content: string
  key: string
  terms: ReadonlySet<number>
  /** Scripts without spaces have no words to share. */
  isWordless: boolean
}

/** Prepares a text to be compared with others. */
export function wordingOf(content: string): Wording {
  return {
    content,
    key: contentKey(content),
    terms: new Set(termsOf(content)),
    isWordless: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(content),
  }
}

/** The share of their words that two texts have in common. */
export function sharedWords(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let shared = 0
  for (const term of a) if (b.has(term)) shared += 1
  return shared / Math.max(1, a.size + b.size - shared)
}
