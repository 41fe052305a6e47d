import { emptyWords, linkWords } from "../words/word-lists.ts"
import { type Lexicon, lexicon } from "./lexicon.ts"
import type { Quantity } from "./quantity.ts"
import { readQuantity } from "./read-quantity.ts"
import type { Piece } from "./scan.ts"

/** One unit of comparison: a word or phrase, a quantity, code, or a sign. */
export interface Token {
  text: string
  /** The form that is compared. */
  key: string
  form: "word" | "quantity" | "code" | "sign"
  quantity?: Quantity
  /** A link word, without a meaning of its own. */
  link: boolean
  /** A pause, a colon, or a form of "to be" comes directly before it. */
  paused: boolean
  valued: boolean
  afterBe: boolean
  /** It describes the word before it: "the output of the build", "a key which is public". */
  describesBack: boolean
  /** It was in the passive voice or was replaced by "use": its form does not show the tense. */
  isRewritten?: boolean
}

const beForms = new Set(["is", "are", "was", "were", "be", "been", "being", "am"])

/** Makes tokens from pieces: expands contractions, joins phrases and quantities, drops empty words. */
export function toTokens(pieces: readonly Piece[]): Token[] {
  const words = lexicon()
  const expanded = pieces.flatMap(expand)
  const bases = expanded.map((piece) => (piece.form === "word" ? words.base(piece.lower) : piece.lower))
  const tokens: Token[] = []
  let afterBe = false
  let paused = false
  let valued = false
  let describesBack = false
  for (let at = 0; at < expanded.length; ) {
    const { token, length } = tokenAt(expanded, bases, at, words)
    const piece = expanded[at]
    paused ||= piece?.paused === true
    valued ||= piece?.valued === true
    if (token === undefined) {
      afterBe ||= beForms.has(piece?.lower ?? "")
      describesBack ||= beginsDescription(expanded, at)
    } else {
      tokens.push({ ...token, paused, valued, afterBe, describesBack })
      afterBe = afterBe && passesOn(token.key)
      paused = false
      valued = false
      describesBack = false
    }
    at += length
  }
  return tokens
}

/** "of", "which is", "that are". */
function beginsDescription(pieces: readonly Piece[], at: number): boolean {
  const word = pieces[at]?.lower
  if (word === "of") return true
  return (word === "which" || word === "who" || word === "that") && beForms.has(pieces[at + 1]?.lower ?? "")
}

/** "is not used", "is quickly replaced": the verb still belongs to the form of "to be". */
function passesOn(key: string): boolean {
  return passing.has(key) || /.ly$/.test(key)
}

const passing = new Set(["not", "never", "already", "very", "quite", "so", "too", "rather"])

type PlainToken = Omit<Token, "paused" | "valued" | "afterBe" | "describesBack">

function tokenAt(
  pieces: readonly Piece[],
  bases: readonly string[],
  at: number,
  words: Lexicon,
): { token?: PlainToken; length: number } {
  const piece = pieces[at]
  if (piece === undefined) return { length: 1 }
  const read = readQuantity(pieces, at)
  if (read !== undefined) return { token: quantityToken(pieces, at, read), length: read.length }
  const { text, lower, form } = piece
  if (form === "sign") return { token: { text, key: lower, form: "sign", link: false }, length: 1 }
  if (form !== "word") return { token: { text, key: codeKey(text), form: "code", link: false }, length: 1 }
  const length = words.phraseLength(bases, at)
  const key = bases.slice(at, at + length).join(" ")
  const written = pieces
    .slice(at, at + length)
    .map((part) => part.text)
    .join(" ")
  if (length === 1 && isEmpty(piece, pieces[at + 1])) return { length: 1 }
  const link = length === 1 && linkWords.has(lower)
  return { token: { text: written, key: text === "US" ? "usa" : key, form: "word", link }, length }
}

/** US is a country, and "has" in "has been" is only an auxiliary. */
function isEmpty({ text, lower }: Piece, next: Piece | undefined): boolean {
  if (lower === "has" || lower === "have" || lower === "had") return next?.lower === "been"
  return emptyWords.has(lower) && text !== "US"
}

function quantityToken(
  pieces: readonly Piece[],
  at: number,
  { quantity, length }: { quantity: Quantity; length: number },
): PlainToken {
  const texts = pieces.slice(at, at + length).map((piece) => piece.text)
  return {
    text: texts.join(" "),
    key: texts.join(" ").toLowerCase(),
    form: "quantity",
    quantity,
    link: false,
  }
}

/** Code is compared as written, without quotes around it and a slash at its end. */
function codeKey(text: string): string {
  return text.length > 1 ? text.replace(/\/$/, "") : text
}

const endings: Readonly<Record<string, string>> = {
  "n't": "not",
  "'re": "are",
  "'ve": "have",
  "'ll": "will",
  "'m": "am",
  "'d": "would",
}

/** Expands contractions: don't is do not, can't is can not. */
function expand(piece: Piece): Piece[] {
  if (piece.form !== "word" || (piece.lower !== "cannot" && !/['’]/.test(piece.lower))) return [piece]
  const straight = piece.lower.replace("’", "'")
  const negated = /^(.+)n't$/.exec(straight)
  if (negated !== null || straight === "cannot") {
    const verb = straight === "cannot" ? "can" : (shortened[straight] ?? negated?.[1] ?? "")
    return [part(piece, verb), part({ ...piece, paused: false, valued: false }, "not")]
  }
  const apostrophe = straight.indexOf("'")
  if (apostrophe <= 0) return [{ ...piece, lower: straight }]
  const rest = endings[straight.slice(apostrophe)]
  const head = { ...piece, lower: straight.slice(0, apostrophe) }
  return rest === undefined ? [head] : [head, part({ ...piece, paused: false, valued: false }, rest)]
}

const shortened: Readonly<Record<string, string>> = { "can't": "can", "won't": "will", "shan't": "shall" }

function part(piece: Piece, lower: string): Piece {
  return { ...piece, text: lower === "not" ? piece.text : lower, lower }
}
