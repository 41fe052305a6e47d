import { compareQuantities } from "./quantity.ts"
import type { Opposition, Relation } from "./relation.ts"
import { scan } from "./scan.ts"
import { type Token, toTokens } from "./token.ts"
import { foreignNegators, foreignOpposites, tellingWords } from "./words/negators.ts"

/** English, another language of which some words are known, or one of which none are. */
export type Language = "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "unknown"

const languages = ["en", "de", "fr", "es", "it", "pt", "nl"] as const

/** Tells the language by its most frequent words; without any, plain letters are taken for English. */
export function languageOf(text: string): Language {
  const words =
    text
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.slice(0, 200) ?? []
  let best: Language = "unknown"
  let most = 0
  for (const language of languages) {
    const hits = words.filter((word) => tellingWords[language]?.has(word)).length
    if (hits > most) [best, most] = [language, hits]
  }
  if (most > 0 && !isMostlyForeign(words)) return best
  return words.every((word) => /^[a-z]+$/.test(word)) ? "en" : "unknown"
}

/** Whether most words are written in other letters than Latin ones. */
function isMostlyForeign(words: readonly string[]): boolean {
  return words.filter((word) => !/^\p{Script=Latin}+$/u.test(word)).length * 2 > words.length
}

/** Judges texts of which little is understood: the same words are the same, another number is another number. */
export function judgeForeign(older: string, newer: string, language: Language): Relation {
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
  return scan(text).map((piece) => {
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
  const pair = foreignOpposites.some(
    ([one, other]) => (a.key === one && b.key === other) || (a.key === other && b.key === one),
  )
  return pair ? "antonym" : undefined
}

/** The same words but for a denial on one side. */
function deniedIn(a: readonly Token[], b: readonly Token[], language: string): Opposition | undefined {
  const known = foreignNegators[language]
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
