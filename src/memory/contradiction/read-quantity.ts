import { type Quantity, unitOf } from "./quantity.ts"
import type { Piece } from "./scan.ts"
import { months, ordinalWords, smallNumbers } from "./words/numbers.ts"

/** A quantity that begins at a place, and how many pieces it takes. */
export interface ReadQuantity {
  quantity: Quantity
  length: number
}

/** Reads the quantity that begins at a place, if one does: digits, words, dates, times, with their units. */
export function readQuantity(pieces: readonly Piece[], at: number): ReadQuantity | undefined {
  const piece = pieces[at]
  if (piece === undefined) return undefined
  return readDate(pieces, at) ?? (piece.form === "number" ? readDigits(pieces, at) : readWords(pieces, at))
}

function readDate(pieces: readonly Piece[], at: number): ReadQuantity | undefined {
  const first = pieces[at]
  const month = months.get(first?.lower ?? "")
  if (month !== undefined) {
    const day = dayAt(pieces, at + 1)
    const year = yearAt(pieces, day === undefined ? at + 1 : at + 2)
    if (day === undefined && year === undefined) return undefined
    const length = 1 + (day === undefined ? 0 : 1) + (year === undefined ? 0 : 1)
    return { quantity: dateOf({ month, day, year }), length }
  }
  const day = dayAt(pieces, at)
  if (day === undefined) return undefined
  const of = pieces[at + 1]?.lower === "of" ? 1 : 0
  const after = months.get(pieces[at + 1 + of]?.lower ?? "")
  if (after === undefined) return undefined
  const year = yearAt(pieces, at + 2 + of)
  const length = 2 + of + (year === undefined ? 0 : 1)
  return { quantity: dateOf({ month: after, day, year }), length }
}

function dateOf(fields: Record<"year" | "month" | "day", number | undefined>): Quantity {
  const { year, month, day } = fields
  return {
    kind: "date",
    ...(year === undefined ? {} : { year }),
    ...(month === undefined ? {} : { month }),
    ...(day === undefined ? {} : { day }),
  }
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
  const factor = multipliers[next]
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

const multipliers: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  mio: 1e6,
  million: 1e6,
  billion: 1e9,
  hundred: 100,
  dozen: 12,
}

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
  let total = 0
  let part = 0
  let end = at
  for (; end < pieces.length; end += 1) {
    const word = pieces[end]?.lower ?? ""
    const small = smallNumbers.get(word)
    const ordinal = part >= 20 && part % 10 === 0 ? ordinalWords.get(word) : undefined
    if (ordinal !== undefined && ordinal < 10) {
      return { quantity: { kind: "ordinal", value: total + part + ordinal }, length: end - at + 1 }
    }
    if (small !== undefined && (end === at || fits(part, small))) part += small
    else if (word === "hundred" || word === "dozen") part = Math.max(1, part) * (word === "dozen" ? 12 : 100)
    else if (word === "thousand" || word === "million" || word === "billion") {
      total += Math.max(1, part) * (multipliers[word] ?? 1)
      part = 0
    } else break
  }
  const unit = unitOf(pieces[end]?.lower ?? "")
  const value = total + part
  const quantity: Quantity = { kind: "amount", value, digits: String(value), unit: unit ?? "" }
  return { quantity, length: end - at + (unit === undefined ? 0 : 1) }
}

/** "twenty" takes "five", "hundred" takes anything below it; "two" "three" are two numbers. */
function fits(part: number, small: number): boolean {
  if (part === 0) return true
  if (part % 100 === 0) return true
  return part % 100 >= 20 && part % 10 === 0 && small < 10 && small > 0
}
