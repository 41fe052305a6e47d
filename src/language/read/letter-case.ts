import { linkWords } from "../words/word-lists.ts"
import { lexicon } from "./lexicon.ts"

/**
 * Whether two texts differ in capitals or kinds of quotes where these matter: in options, paths, code, units and
 * patterns. In ordinary words capitals do not matter.
 */
export function differInCase(a: string, b: string): boolean {
  if (a === b) return false
  const [inA, inB] = [exactParts(a), exactParts(b)]
  for (const [name, forms] of inA) {
    const others = inB.get(name)
    if (others !== undefined && !areWrittenAlike(forms, others)) return true
  }
  return false
}

/** The same spellings in the same order; if their numbers differ, the same set of spellings. */
function areWrittenAlike(forms: readonly string[], others: readonly string[]): boolean {
  if (forms.length === others.length) return forms.every((form, at) => isSameName(form, others[at] ?? ""))
  const hasAll = (some: readonly string[], all: readonly string[]) =>
    some.every((form) => all.some((other) => isSameName(form, other)))
  return hasAll(forms, others) && hasAll(others, forms)
}

/** Equal, or a name that one text writes without capitals: GitHub and github. */
function isSameName(a: string, b: string): boolean {
  if (a === b) return true
  const isName = /^\p{Lu}(?=\p{L}*\p{Ll})\p{L}{3,}$/u
  return (isName.test(a) && a.toLowerCase() === b) || (isName.test(b) && b.toLowerCase() === a)
}

/** The spellings of each part of a text, by the part in lower case. */
function exactParts(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const add = (name: string, form: string) => {
    const forms = found.get(name)
    if (forms === undefined) found.set(name, [form])
    else forms.push(form)
  }
  const plain = text.normalize("NFKC")
  for (const [, quote = "", quoted = ""] of plain.matchAll(quotes)) add(`quoted ${quoted}`, kindOf(quote))
  for (const [, code = ""] of plain.matchAll(/`([^`]{1,400})`/g))
    add(`code ${code.toLowerCase()}`, `\`${code}`)
  const chunks = plain.split(/\s+/).filter((chunk) => chunk !== "")
  for (const [at, chunk] of chunks.entries()) {
    const part = bare(chunk)
    const isExact =
      (carriesCase(part) && !(isSentenceStart(chunks[at - 1]) && isNumberedWord(part))) ||
      isUnit(part, chunks[at - 1]) ||
      isLetter(part, chunks, at)
    add(part.toLowerCase(), isExact ? part : part.toLowerCase())
  }
  // "git add ." and "git add" differ; a full stop at the end of a sentence does not matter.
  add("dots", chunks.filter((chunk) => /^\.+$/.test(chunk)).join(" "))
  return found
}

const quotes = /(?<![\p{L}\p{N}])(["“”„'‘])([^"“”„'‘’]{1,400})["“”'’](?![\p{L}\p{N}])/gu

function kindOf(quote: string): string {
  return /['‘]/.test(quote) ? "single" : "double"
}

/** A part without surrounding quotes, brackets, emphasis and punctuation. */
function bare(chunk: string): string {
  const inner = chunk.replace(/^["“”„'‘’`]+|^\*\*/u, "").replace(/(?:["“”'’`.,;:!?…]|\*\*)+$/u, "")
  const opened = inner.startsWith("(") && !inner.slice(1).includes("(") ? inner.slice(1) : inner
  return opened.endsWith(")") && !opened.includes("(") ? opened.slice(0, -1) : opened
}

/** Whether a part is code, a format, or has capitals inside. */
function carriesCase(part: string): boolean {
  if (/^-{1,2}\p{L}/u.test(part)) return true
  if (ordinary.test(part)) return false
  if (/[/\\_[\]{}<>()^$|*+=@#%&~]/.test(part) || /[.:]./.test(part)) return true
  // Known names have several spellings (iOS, PostgreSQL), but userName is an identifier.
  if (/^\p{Ll}{2,}\p{Lu}\p{Ll}/u.test(part)) return true
  if (lexicon().knows(part.toLowerCase())) return false
  return /\p{N}/u.test(part) || hasCapitalInside(part) || isFormat(part)
}

/** Written with dots or digits, but never code: e.g., 3pm, 1st. */
const ordinary = /^(?:[ei]\.[ge]|\d{1,2}(?::\d{2})?[ap]\.?m|[ap]\.m|\d+(?:st|nd|rd|th))$/i

function hasCapitalInside(part: string): boolean {
  const isPlural = /^\p{Lu}{2,}['’]?s$/u.test(part)
  return !isPlural && /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(part)
}

/** YYYY-MM-DD, hh, A-Z: single or repeated letters. */
function isFormat(part: string): boolean {
  return part.length > 1 && /^(?:(\p{L})\1*-)*(\p{L})\2*$/u.test(part)
}

const unitSymbols = new Set(
  "b kb mb gb tb pb kib mib gib tib bps kbps mbps gbps hz khz mhz ghz w kw mw gw v mv a ma ms ns j kj mj k m g t s h l ml".split(
    " ",
  ),
)

/** Mb and MB, mW and MW after a number. */
function isUnit(part: string, before: string | undefined): boolean {
  return before !== undefined && /\d$/.test(before) && unitSymbols.has(part.toLowerCase())
}

/** A single letter, unless it is the article or the pronoun. */
function isLetter(part: string, chunks: readonly string[], at: number): boolean {
  if (!/^\p{L}$/u.test(part)) return false
  const [before, next] = [chunks[at - 1], chunks[at + 1]]
  if (part === "a") return next === undefined
  const follows = next !== undefined && /^\p{L}{2}/u.test(next)
  if (part === "i" || part === "I") return !follows || (at > 0 && linkWords.has(next.toLowerCase()))
  if (part !== "A" || !follows) return true
  return !isSentenceStart(before) && next !== next.toUpperCase()
}

function isSentenceStart(before: string | undefined): boolean {
  return before === undefined || /[.!?:]["'”’)]*$/.test(before)
}

/** "Room7", "room7". */
function isNumberedWord(part: string): boolean {
  return /^\p{L}\p{Ll}+\p{N}+$/u.test(part)
}
