import { compareQuantities } from "../read/quantity.ts"
import { scan } from "../read/scan.ts"
import { type Token, toTokens } from "../read/token.ts"
import { languageMarkers, negatorsByLanguage, oppositesInOtherLanguages } from "../words/negators.ts"
import type { Opposition, Relation } from "./relation.ts"

/** English, another language with some known words, or an unknown one. */
export type Language = "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "unknown"

const languages = ["en", "de", "fr", "es", "it", "pt", "nl"] as const

/** How many frequent words of each language a text has, and how many Latin and ASCII words. */
export interface LanguageTraces {
  hits: readonly number[]
  words: number
  latin: number
  ascii: number
}

const mostWords = 200

/** Counts signs of the language of a text; code and addresses do not count. */
export function languageTraces(text: string): LanguageTraces {
  const hits = languages.map(() => 0)
  const counts = { words: 0, latin: 0, ascii: 0 }
  for (const [word] of text.matchAll(/(?<![\w./:@-])\p{L}+(?![\w/:@-]|\.\w)/gu)) {
    if (counts.words >= mostWords) break
    counts.words += 1
    const isAscii = /^[a-z]+$/i.test(word)
    if (isAscii) counts.ascii += 1
    if (isAscii || /^\p{Script=Latin}+$/u.test(word)) counts.latin += 1
    for (const language of tellers.get(word.toLowerCase()) ?? []) hits[language] = (hits[language] ?? 0) + 1
  }
  return { hits, ...counts }
}

const tellers: ReadonlyMap<string, readonly number[]> = byWord()

function byWord(): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const [index, language] of languages.entries()) {
    for (const word of languageMarkers.get(language) ?? [])
      found.set(word, [...(found.get(word) ?? []), index])
  }
  return found
}

/** The language of two texts; without any sign, ASCII text counts as English. */
export function sharedLanguage(a: LanguageTraces, b: LanguageTraces): Language {
  const words = a.words + b.words
  if ((a.latin + b.latin) * 2 < words) return "unknown"
  const hits = a.hits.map((count, language) => count + (b.hits[language] ?? 0))
  const most = Math.max(...hits)
  if (most === 0) return a.ascii + b.ascii === words ? "en" : "unknown"
  const language = hits.indexOf(most)
  return isOfAnother(a, language) || isOfAnother(b, language) ? "unknown" : (languages[language] ?? "unknown")
}

/** Whether a text is clearly in another language. */
function isOfAnother({ hits }: LanguageTraces, language: number): boolean {
  const most = Math.max(...hits)
  return most >= 2 && (hits[language] ?? 0) * 2 < most
}

/** Compares texts in a barely known language: equal words are the same, another number is a contradiction. */
export function compareOtherLanguage(older: string, newer: string, language: Language): Relation {
  const [a, b] = [plainTokens(older), plainTokens(newer)]
  const denied = language === "unknown" || language === "en" ? undefined : deniedIn(a, b, language)
  if (denied !== undefined) return { kind: "contradicts", reason: denied }
  if (a.length !== b.length || a.length === 0) return { kind: "differs" }
  const different = a.flatMap((token, at) => {
    const other = b[at]
    return other === undefined || isSame(token, other) ? [] : [{ token, other }]
  })
  const [first] = different
  if (first === undefined) return { kind: "same" }
  if (different.length > 1 || a.length < 2) return { kind: "differs" }
  const by = opposite(first.token, first.other)
  if (by === undefined) return { kind: "differs" }
  return { kind: "contradicts", reason: { by, older: first.token.text, newer: first.other.text } }
}

function plainTokens(text: string): Token[] {
  return scan(text.replaceAll(/['’]/g, " ")).map((piece) => {
    const [token] = piece.form === "number" ? toTokens([piece]) : []
    return (
      token ?? {
        text: piece.text,
        key: piece.form === "code" ? piece.text : piece.lower,
        form: piece.form === "number" ? "word" : piece.form,
        link: false,
        paused: false,
        valued: false,
        afterBe: false,
        describesBack: false,
      }
    )
  })
}

function isSame(a: Token, b: Token): boolean {
  if (a.quantity !== undefined && b.quantity !== undefined) {
    return compareQuantities(a.quantity, b.quantity) === "equal"
  }
  return a.key === b.key && a.form === b.form
}

function opposite(a: Token, b: Token): Opposition["by"] | undefined {
  if (a.quantity !== undefined && b.quantity !== undefined) {
    if (compareQuantities(a.quantity, b.quantity) !== "different") return undefined
    return a.quantity.kind === "version" || b.quantity.kind === "version" ? "version" : "number"
  }
  const pair = oppositesInOtherLanguages.some(
    ([one, other]) => (a.key === one && b.key === other) || (a.key === other && b.key === one),
  )
  return pair ? "antonym" : undefined
}

/** The same words except for a negation on one side. */
function deniedIn(a: readonly Token[], b: readonly Token[], language: string): Opposition | undefined {
  const known = negatorsByLanguage.get(language)
  if (known === undefined) return undefined
  const negators = (tokens: readonly Token[]) => tokens.filter((token) => known.negators.has(token.key))
  const rest = (tokens: readonly Token[]) =>
    tokens.filter((token) => !known.negators.has(token.key) && !known.drops.has(token.key))
  const [inA, inB] = [negators(a), negators(b)]
  if (inA.length > 0 === inB.length > 0) return undefined
  const [restA, restB] = [rest(a), rest(b)]
  const equal =
    restA.length > 0 &&
    restA.length === restB.length &&
    restA.every((token, at) => {
      const other = restB[at]
      return other !== undefined && isSame(token, other)
    })
  if (!equal) return undefined
  const text = (denials: readonly Token[], others: readonly Token[]) =>
    (denials.length > 0 ? denials : others.slice(-1)).map((token) => token.text).join(" ")
  return { by: "negation", older: text(inA, restA), newer: text(inB, restB) }
}
