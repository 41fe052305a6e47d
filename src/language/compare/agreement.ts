import { lexicon } from "../read/lexicon.ts"
import { longestText } from "../read/scan.ts"
import { readStatement, type Statement } from "../read/statement.ts"
import type { Token } from "../read/token.ts"
import { compareTokens, isAmong } from "./compare-tokens.ts"
import { plainWords } from "./compatibility.ts"
import { languageTraces, sharedLanguage } from "./other-languages.ts"
import { narrowingOf } from "./replacement.ts"

/**
 * Whether nothing clearly distinguishes two texts: same numbers, names and conditions, no negation, no words that
 * exclude each other, same order. It does not mean that they say the same. False for negated texts and other languages.
 */
export function agreeInDetail(first: string, second: string): boolean {
  if (first.length > longestText || second.length > longestText) return false
  if (sharedLanguage(languageTraces(first), languageTraces(second)) !== "en") return false
  const [a, b] = [readStatement(first), readStatement(second)]
  if (a.asks || b.asks || a.past !== b.past || a.changed || b.changed) return false
  if ([a, b].some(({ rejected, negations }) => rejected.length + negations.length > 0)) return false
  if (narrowingOf(plainWords(first)) !== narrowingOf(plainWords(second))) return false
  const [inA, inB] = [telling(a), telling(b)]
  const [onlyInA, onlyInB] = [withoutMatch(inA, inB), withoutMatch(inB, inA)]
  if (onlyInA.some((token) => isExact(token, inA)) || onlyInB.some((token) => isExact(token, inB)))
    return false
  // The same words in another order may mean the reverse.
  if (onlyInA.length + onlyInB.length === 0 && !areInOrder(inA, inB)) return false
  return !onlyInA.some((one) => onlyInB.some((other) => areApart(one, other)))
}

function areInOrder(tokens: readonly Token[], others: readonly Token[]): boolean {
  const places = tokens.map((token) =>
    others.findIndex((other) => compareTokens(token, other).is === "equal"),
  )
  return places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0))
}

function telling({ tokens }: Statement): Token[] {
  return tokens.filter(({ link, form }) => !link && form !== "sign")
}

function withoutMatch(tokens: readonly Token[], others: readonly Token[]): Token[] {
  return tokens.filter((token) => !isAmong(token, others))
}

/** A number, code, or a name: it has no synonyms. */
function isExact(token: Token, among: readonly Token[]): boolean {
  const { form, text, key } = token
  if (form === "quantity" || form === "code" || /\d/.test(text)) return true
  // The first word is capitalised anyway.
  const isName = /^\p{Lu}/u.test(text) && token !== among[0]
  return isName || lexicon().isInGroup(key)
}

function areApart(a: Token, b: Token): boolean {
  const { is } = compareTokens(a, b)
  return is === "opposed" || is === "scope"
}
