import { termsOf } from "../../../language/terms.ts"
import { contentKey } from "../memory.ts"

/** A text with what is needed to compare it quickly. */
export interface ComparableText {
  content: string
  key: string
  terms: ReadonlySet<number>
  /** It is in a script without spaces, so word overlap says nothing. */
  isWordless: boolean
}

export function comparableText(content: string): ComparableText {
  return {
    content,
    key: contentKey(content),
    terms: new Set(termsOf(content)),
    isWordless: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(content),
  }
}

/** The Jaccard similarity of two texts' words, 0 to 1. */
export function wordOverlap(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let shared = 0
  for (const term of a) if (b.has(term)) shared += 1
  return shared / Math.max(1, a.size + b.size - shared)
}
