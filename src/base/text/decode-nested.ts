/** A decoded character, and its range in the text. */
export interface DecodedCharacter {
  /** Lower case, without marks, without full width. */
  text: string
  start: number
  end: number
  /** A byte of a UTF-8 sequence that is not complete yet. */
  byte?: number
  /** A named entity whose semicolon may follow. */
  isOpenEntity?: boolean
}

/**
 * Decodes a text as far as any reader might: drops invisible characters, folds look-alikes to plain characters, and
 * undoes HTML entities, percent encoding and backslash escapes, also nested in each other, in one pass.
 */
export function decodeNested(text: string): DecodedCharacter[] {
  const read: DecodedCharacter[] = []
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    take(read, character, at, at + character.length)
    at += character.length
  }
  endNumber(read, false)
  return read
}

const ignored = /[\p{Default_Ignorable_Code_Point}\p{M}\uFFF9-\uFFFB]/u

/** Look-alikes of brackets, slashes and hyphens. */
const plainForms: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Array.from("‹˂ᐸ❬❮⟨〈⟪《«≺⧼", (sign) => [sign, "<"])),
  ...Object.fromEntries(Array.from("⁄∕⧸╱", (sign) => [sign, "/"])),
  ...Object.fromEntries(Array.from("‐‑‒–—−", (sign) => [sign, "-"])),
}

function take(read: DecodedCharacter[], character: string, start: number, end: number): void {
  const parts = character < "\u0080" ? character : character.normalize("NFKD")
  for (const part of parts.toLowerCase())
    if (part < "\u0080" || !ignored.test(part)) add(read, plainForms[part] ?? part, start, end)
}

/** Adds a character, and decodes the escape that it completes. */
function add(read: DecodedCharacter[], text: string, start: number, end: number): void {
  const last = read.at(-1)
  if (text === ";" && last?.isOpenEntity) {
    last.end = end
    last.isOpenEntity = false
    return
  }
  // A run of backslashes counts as one that was escaped repeatedly.
  if (text === "\\" && last?.text === "\\") {
    last.end = end
    return
  }
  if (!isDigit(text) && endNumber(read, isHex(text), text === ";" ? end : undefined) && text === ";") return
  read.push({ text, start, end })
  if (isHex(text)) endOfFixedLength(read)
  else if (text === "}") endBraces(read)
  else endName(read, text)
}

const isDigit = (text: string) => /^[0-9]$/.test(text)
const isHex = (text: string) => /^[0-9a-f]$/.test(text)

/** Decodes `&#60` and, if no further hexadecimal digit follows, `&#x3c`, with or without a semicolon. */
function endNumber(read: DecodedCharacter[], isHexNext: boolean, end?: number): boolean {
  const decimal = numberBefore(read, isDigit)
  if (isAt(read, decimal - 2, "&#")) return endDigits(read, decimal - 2, decimal, 10, end)
  if (isHexNext) return false
  const hexadecimal = numberBefore(read, isHex)
  return isAt(read, hexadecimal - 3, "&#x") && endDigits(read, hexadecimal - 3, hexadecimal, 16, end)
}

function numberBefore(read: readonly DecodedCharacter[], isPart: (text: string) => boolean): number {
  let from = read.length
  while (from > 0 && isPart(read[from - 1]?.text ?? "")) from -= 1
  return from
}

function endDigits(
  read: DecodedCharacter[],
  from: number,
  digits: number,
  base: number,
  end: number | undefined,
): boolean {
  if (digits === read.length) return false
  replaceFrom(read, from, Number.parseInt(textOf(read, digits), base), end)
  return true
}

function isAt(read: readonly DecodedCharacter[], from: number, text: string): boolean {
  return from >= 0 && Array.from(text).every((sign, at) => read[from + at]?.text === sign)
}

/** Decodes `%3c`, `\x3c`, `\u003c` and `\U0000003c`. */
function endOfFixedLength(read: DecodedCharacter[]): void {
  const tail = textOf(read, Math.max(0, read.length - 10))
  const match = /(?:%|\\x)([0-9a-f]{2})$|\\u(?!0000)([0-9a-f]{4})$|\\u([0-9a-f]{8})$/.exec(tail)
  if (match === null) return
  const value = Number.parseInt(match[1] ?? match[2] ?? match[3] ?? "", 16)
  const from = read.length - match[0].length
  if (match[0].startsWith("%") && value > 0x7f) addByte(read, from, value)
  else replaceFrom(read, from, value)
}

/** Decodes `\u{3c}`. */
function endBraces(read: DecodedCharacter[]): void {
  const match = /\\u\{([0-9a-f]{1,8})\}$/.exec(textOf(read, Math.max(0, read.length - 12)))
  if (match) replaceFrom(read, read.length - match[0].length, Number.parseInt(match[1] ?? "", 16))
}

const named: Readonly<Record<string, string>> = {
  lt: "<",
  amp: "&",
  gt: ">",
  sol: "/",
  bsol: "\\",
  percnt: "%",
  num: "#",
  semi: ";",
  tab: " ",
  newline: " ",
  nbsp: " ",
  hyphen: "-",
  dash: "-",
  lcub: "{",
  lbrace: "{",
  rcub: "}",
  rbrace: "}",
  shy: "",
  zwj: "",
  zwnj: "",
  zerowidthspace: "",
}
const nameAtEnd = new RegExp(`&(${Object.keys(named).join("|")});?$`)

/** Decodes `&lt;` and other names, and `&lt` and `&amp` also without a semicolon. */
function endName(read: DecodedCharacter[], text: string): void {
  if (text !== ";" && text !== "t" && text !== "p") return
  const match = nameAtEnd.exec(textOf(read, Math.max(0, read.length - 16)))
  const name = match?.[1]
  if (!match || name === undefined) return
  if (text !== ";" && name !== "lt" && name !== "amp") return
  const first = read[read.length - match[0].length]
  const last = read.at(-1)
  if (!first || !last) return
  read.length -= match[0].length
  const plain = named[name] ?? ""
  if (plain === "") return
  add(read, plain, first.start, last.end)
  const put = read.at(-1)
  if (put && text !== ";") put.isOpenEntity = true
}

/** Replaces the escape from this position to the end by the character of this code. */
function replaceFrom(read: DecodedCharacter[], from: number, value: number, end?: number): void {
  const start = read[from]?.start ?? 0
  const until = end ?? read.at(-1)?.end ?? start
  const before = read[from - 1]
  read.length = from
  if (value > 0x10ffff || Number.isNaN(value)) return
  const isPair = before !== undefined && isHighSurrogate(before.text) && value >= 0xdc00 && value <= 0xdfff
  if (isPair) read.length -= 1
  if (isPair) take(read, before.text + String.fromCharCode(value), before.start, until)
  else take(read, String.fromCodePoint(value), start, until)
}

const isHighSurrogate = (text: string) => text.length === 1 && text >= "\ud800" && text <= "\udbff"

/** Adds a byte of a UTF-8 sequence, and replaces the sequence by its character once it is complete. */
function addByte(read: DecodedCharacter[], from: number, byte: number): void {
  const start = read[from]?.start ?? 0
  const end = read.at(-1)?.end ?? start
  read.length = from
  read.push({ text: "\ufffd", start, end, byte })
  let first = read.length - 1
  while (first > 0 && read.length - first < 4 && isContinuation(read[first]?.byte)) first -= 1
  const lead = read[first]?.byte ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0
  if (length !== read.length - first) return
  const rest = read.slice(first + 1).map((one) => (one.byte ?? 0) & 0x3f)
  const value = rest.reduce((sum, bits) => sum * 64 + bits, lead & (0x7f >> length))
  replaceFrom(read, first, value)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0
}

function textOf(read: readonly DecodedCharacter[], from: number): string {
  let text = ""
  for (let at = from; at < read.length; at += 1) text += read[at]?.text
  return text
}
