import { months, ordinalWords, smallNumbers } from "../words/numbers.ts"
import { type Quantity, unitOf } from "./quantity.ts"
import type { Piece } from "./scan.ts"

/** A quantity, and how many pieces it takes. */
export interface ReadQuantity {
  quantity: Quantity
  length: number
}

/** Reads the quantity at a position, if there is one: digits, words, dates, times, with units. */
export function readQuantity(pieces: readonly Piece[], at: number): ReadQuantity | undefined {
  const piece = pieces[at]
  if (piece === undefined || !mayBegin(piece)) return undefined
  return readDate(pieces, at) ?? (piece.form === "number" ? readDigits(pieces, at) : readWords(pieces, at))
}

/** A quick check: most words do not begin a quantity. */
function mayBegin({ form, lower }: Piece): boolean {
  if (form === "number") return true
  const first = lower.charCodeAt(0)
  if (first >= 48 && first <= 57) return true
  return form === "word" && (smallNumbers.has(lower) || ordinalWords.has(lower) || months.has(lower))
}

function readDate(pieces: readonly Piece[], at: number): ReadQuantity | undefined {
  return readMonthFirst(pieces, at) ?? readDayFirst(pieces, at)
}

/** "March 14", "March 14, 2026", "March 2026". */
function readMonthFirst(pieces: readonly Piece[], at: number): ReadQuantity | undefined {
  const month = months.get(pieces[at]?.lower ?? "")
  if (month === undefined) return undefined
  const day = dayAt(pieces, at + 1)
  const year = yearAt(pieces, day === undefined ? at + 1 : at + 2)
  const length = 1 + countOf(day) + countOf(year)
  return length === 1 ? undefined : { quantity: { kind: "date", month, day, year }, length }
}

/** "14 March", "1st of March 2026". */
function readDayFirst(pieces: readonly Piece[], at: number): ReadQuantity | undefined {
  const day = dayAt(pieces, at)
  if (day === undefined) return undefined
  const of = pieces[at + 1]?.lower === "of" ? 1 : 0
  const month = months.get(pieces[at + 1 + of]?.lower ?? "")
  if (month === undefined) return undefined
  const year = yearAt(pieces, at + 2 + of)
  return { quantity: { kind: "date", month, day, year }, length: 2 + of + countOf(year) }
}

function countOf(field: number | undefined): 0 | 1 {
  return field === undefined ? 0 : 1
}

function dayAt(pieces: readonly Piece[], at: number): number | undefined {
  const match = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(pieces[at]?.lower ?? "")
  const day = Number(match?.[1])
  return day >= 1 && day <= 31 ? day : undefined
}

function yearAt(pieces: readonly Piece[], at: number): number | undefined {
  const text = pieces[at]?.lower ?? ""
  return /^(?:19|20)\d{2}$/.test(text) ? Number(text) : undefined
}

function readDigits(pieces: readonly Piece[], at: number): ReadQuantity {
  const text = pieces[at]?.lower ?? ""
  const whole = wholeDate(text) ?? rangeOf(text) ?? versionOf(text)
  if (whole !== undefined) return { quantity: whole, length: 1 }
  const next = pieces[at + 1]?.lower ?? ""
  const halfDay = /^[ap]\.?m$/.exec(next)?.[0][0]
  const clock = /^(\d{1,2})(?::(\d{2}))?/.exec(text)
  if (clock !== null && (text.includes(":") || halfDay !== undefined)) {
    const minutes = (Number(clock[1]) % (halfDay ? 12 : 24)) * 60 + Number(clock[2] ?? 0)
    const quantity: Quantity = {
      kind: "time",
      minutes: minutes + (halfDay === "p" ? 720 : 0),
      halfDay: halfDay !== undefined,
    }
    return { quantity, length: halfDay === undefined ? 1 : 2 }
  }
  return readAmount(text, next)
}

function readAmount(text: string, next: string): ReadQuantity {
  const currency = /^[$€£¥]/.exec(text)?.[0] ?? ""
  const digits = text.replace(/^[$€£¥#]/, "").replaceAll(",", "")
  const factor = multipliers.get(next)
  const unit = factor === undefined ? unitOf(next) : undefined
  const value = Number(digits) * (factor ?? 1)
  const length = factor === undefined && unit === undefined ? 1 : 2
  return {
    quantity: {
      kind: "amount",
      value,
      digits: factor === undefined ? digits : String(value),
      unit: unit ?? currency,
    },
    length,
  }
}

const multipliers = new Map([
  ["k", 1e3],
  ["thousand", 1e3],
  ["mio", 1e6],
  ["million", 1e6],
  ["billion", 1e9],
  ["hundred", 100],
  ["dozen", 12],
])

function wholeDate(text: string): Quantity | undefined {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (iso !== null) return { kind: "date", year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) }
  const local = /^(\d{1,2})([/.])(\d{1,2})[/.](\d{4})$/.exec(text)
  if (local === null) return undefined
  const [first, second] = [Number(local[1]), Number(local[3])]
  const dayFirst = local[2] === "." || first > 12
  const [month, day] = dayFirst ? [second, first] : [first, second]
  const unsure = local[2] === "/" && first <= 12 && second <= 12 && first !== second
  return { kind: "date", year: Number(local[4]), month, day, ...(unsure ? { unsure } : {}) }
}

function rangeOf(text: string): Quantity | undefined {
  const match = /^(\d+)\s?[–-]\s?(\d+)$/.exec(text)
  return match === null ? undefined : { kind: "range", from: Number(match[1]), to: Number(match[2]) }
}

function versionOf(text: string): Quantity | undefined {
  const match = /^v?(\d+(?:\.\d+)*(?:[-+].*)?)$/.exec(text)
  if (match === null || !/^v|\..*\.|[-+]/.test(text)) return undefined
  return { kind: "version", digits: match[1] ?? text }
}

/** "three", "twenty five", "two hundred", "third", "twenty first", "3rd". */
function readWords(pieces: readonly Piece[], at: number): ReadQuantity | undefined {
  const lower = pieces[at]?.lower ?? ""
  const suffixed = /^(\d{1,6})(?:st|nd|rd|th)$/.exec(lower)
  if (suffixed !== null) return { quantity: { kind: "ordinal", value: Number(suffixed[1]) }, length: 1 }
  const ordinal = ordinalWords.get(lower)
  if (ordinal !== undefined) {
    const isUnit = lower === "second" && /^(?:per|a|each|every)$/.test(pieces[at - 1]?.lower ?? "")
    return isUnit && pieces[at - 1]?.lower !== "a"
      ? undefined
      : { quantity: { kind: "ordinal", value: ordinal }, length: 1 }
  }
  return smallNumbers.has(lower) ? readSpelled(pieces, at) : undefined
}

function readSpelled(pieces: readonly Piece[], at: number): ReadQuantity {
  let sum: Sum = { total: 0, part: 0 }
  let end = at
  for (; end < pieces.length; end += 1) {
    const word = pieces[end]?.lower ?? ""
    const last = ordinalAfter(sum, word)
    if (last !== undefined) return { quantity: { kind: "ordinal", value: last }, length: end - at + 1 }
    const next = addWord(sum, word, end === at)
    if (next === undefined) break
    sum = next
  }
  const unit = unitOf(pieces[end]?.lower ?? "")
  const value = sum.total + sum.part
  const quantity: Quantity = { kind: "amount", value, digits: String(value), unit: unit ?? "" }
  return { quantity, length: end - at + (unit === undefined ? 0 : 1) }
}

/** A number while it is read: the total up to the last thousand or million, and the rest. */
interface Sum {
  total: number
  part: number
}

/** "twenty first" is an ordinal, "two second" is not. */
function ordinalAfter({ total, part }: Sum, word: string): number | undefined {
  const ordinal = part >= 20 && part % 10 === 0 ? ordinalWords.get(word) : undefined
  return ordinal !== undefined && ordinal < 10 ? total + part + ordinal : undefined
}

/** The sum with one more word; undefined if the word does not belong to the number. */
function addWord({ total, part }: Sum, word: string, first: boolean): Sum | undefined {
  const small = smallNumbers.get(word)
  if (small !== undefined && (first || fits(part, small))) return { total, part: part + small }
  if (word === "hundred") return { total, part: Math.max(1, part) * 100 }
  if (word === "dozen") return { total, part: Math.max(1, part) * 12 }
  if (word !== "thousand" && word !== "million" && word !== "billion") return undefined
  return { total: total + Math.max(1, part) * (multipliers.get(word) ?? 1), part: 0 }
}

/** "twenty" takes "five", "hundred" anything below it; "two three" are two numbers. */
function fits(part: number, small: number): boolean {
  if (part === 0) return true
  if (part % 100 === 0) return true
  return part % 100 >= 20 && part % 10 === 0 && small < 10 && small > 0
}
