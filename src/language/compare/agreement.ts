import { lexicon } from "../read/lexicon.ts"
import { longestText } from "../read/scan.ts"
import { readStatement, type Statement } from "../read/statement.ts"
import type { Token } from "../read/token.ts"
import { narrowingWords } from "../words/function-words.ts"
import { compareTokens } from "./compare-tokens.ts"
import { languageOf, tracesOf } from "./other-languages.ts"

/**
 * Whether two texts of different words have nothing in them that tells them apart for sure: the same numbers, names and
 * conditions, no denial, no words that exclude each other, and not just another order. It does not say that they mean the same. What denies, and
 * other languages than English, are understood too little to say even this.
 */
export function agreeInDetail(first: string, second: string): boolean {
  if (first.length > longestText || second.length > longestText) return false
  if (languageOf(tracesOf(first), tracesOf(second)) !== "en") return false
  const [a, b] = [readStatement(first), readStatement(second)]
  if (a.asks || b.asks || a.past !== b.past || a.changed || b.changed) return false
  if ([a, b].some(({ rejected, negations }) => rejected.length + negations.length > 0)) return false
  if (narrowingOf(first) !== narrowingOf(second)) return false
  const [inA, inB] = [telling(a), telling(b)]
  const [onlyInA, onlyInB] = [withoutMatch(inA, inB), withoutMatch(inB, inA)]
  if (onlyInA.some((token) => isExact(token, inA)) || onlyInB.some((token) => isExact(token, inB)))
    return false
  // The same words in another order may say the reverse: who runs behind whom.
  if (onlyInA.length + onlyInB.length === 0 && !areInOrder(inA, inB)) return false
  return !onlyInA.some((one) => onlyInB.some((other) => areApart(one, other)))
}

function areInOrder(tokens: readonly Token[], others: readonly Token[]): boolean {
  const places = tokens.map((token) =>
    others.findIndex((other) => compareTokens(token, other).is === "equal"),
  )
  return places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0))
}

function narrowingOf(text: string): string {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  return words
    .filter((word) => narrowingWords.has(word))
    .sort()
    .join(" ")
}

function telling({ tokens }: Statement): Token[] {
  return tokens.filter(({ link, form }) => !link && form !== "sign")
}

function withoutMatch(tokens: readonly Token[], others: readonly Token[]): Token[] {
  return tokens.filter((token) => !others.some((other) => compareTokens(token, other).is === "equal"))
}

/** A number, something from code, or a name: nothing else means the same. */
function isExact(token: Token, among: readonly Token[]): boolean {
  const { form, text, key } = token
  if (form === "quantity" || form === "code" || /\d/.test(text)) return true
  // The first word has its capital for that alone.
  const isName = /^\p{Lu}/u.test(text) && token !== among[0]
  return isName || lexicon().isOfAKind(key)
}

function areApart(a: Token, b: Token): boolean {
  const { is } = compareTokens(a, b)
  return is === "opposed" || is === "scope"
}
