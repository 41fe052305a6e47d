import { calendarDay, startOfDay } from "../../base/clock.ts"
import { termOf } from "../../language/terms.ts"

/** A period that a query names, and how much a memory of that period gains. */
export interface TimeCue {
  from: number
  /** The first moment after it. */
  to: number
  weight: number
}

const dayMs = 86_400_000
/** People often report an event only some days later. */
const toldWithinMs = 7 * dayMs

const months = "january february march april may june july august september october november december".split(
  " ",
)
const weekdays = "sunday monday tuesday wednesday thursday friday saturday".split(" ")
const numbers = "zero one two three four five six seven eight nine ten eleven twelve".split(" ")

const monthName = `(${months.join("|")}|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\\.?`
const number = `(\\d{1,3}|${numbers.join("|")}|a|an|a couple of|a few)`

/** All periods that an English text names; relative ones count back from `now`. */
export function timeCues(text: string, now: number): TimeCue[] {
  const plain = text.toLowerCase()
  return [...named(plain, now), ...relative(plain, now)]
}

function* named(text: string, now: number): Generator<TimeCue> {
  const pattern = new RegExp(
    `\\b(?:(\\d{1,2})(?:st|nd|rd|th)?(?: of)? )?${monthName}(?: (\\d{1,2})(?:st|nd|rd|th)?(?!\\d))?(?:,? ?((?:19|20)\\d\\d))?\\b`,
    "g",
  )
  let years = 0
  for (const [whole, before, name = "", after, year] of text.matchAll(pattern)) {
    const isBare = before === undefined && after === undefined && year === undefined
    if (whole === "" || (isBare && isVerb(name, text))) continue
    const month = months.findIndex((one) => one.startsWith(name.slice(0, 3)))
    if (year) years += 1
    yield* monthCues(month, Number(before ?? after ?? 0), year ? Number(year) : undefined, now)
  }
  if (years > 0) return
  for (const [, year] of text.matchAll(/\b(?:in|of|during|since|before|after|year) ((?:19|20)\d\d)\b/g)) {
    yield { from: startOfDay(Number(year), 0, 1), to: startOfDay(Number(year) + 1, 0, 1), weight: 0.3 }
  }
}

/** "may" and "march" are mostly verbs unless a preposition or a date marks them as months. */
function isVerb(name: string, text: string): boolean {
  return /^(may|march)$/.test(name) && !/\b(in|of|last|this|since|until|during) (may|march)\b/.test(text)
}

function* monthCues(month: number, day: number, year: number | undefined, now: number): Generator<TimeCue> {
  // A month without a year may be in any of the last eight years.
  const thisYear = calendarDay(now).year
  const candidates = year === undefined ? Array.from({ length: 8 }, (_, back) => thisYear - back) : [year]
  for (const one of candidates) {
    yield { from: startOfDay(one, month, 1), to: startOfDay(one, month + 1, 1), weight: 1 }
    if (day < 1 || day > 31) continue
    const from = startOfDay(one, month, day)
    yield { from, to: from + dayMs + toldWithinMs, weight: 0.5 }
  }
}

const unitMs: Record<string, number> = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs, year: 365 * dayMs }

function* relative(text: string, now: number): Generator<TimeCue> {
  const ago = new RegExp(`\\b${number} (day|week|month|year)s? (?:ago|back|earlier)\\b`, "g")
  for (const [, count = "", unit = ""] of text.matchAll(ago)) {
    yield cueAround(now - countOf(count) * (unitMs[unit] ?? 0), Math.max(dayMs, (unitMs[unit] ?? 0) / 2))
  }
  for (const [, unit = ""] of text.matchAll(/\b(?:last|past) (week|month|year)\b/g)) {
    const length = unitMs[unit] ?? 0
    yield { from: now - 2 * length, to: now - length / 7, weight: 0.5 }
  }
  if (/\byesterday\b/.test(text)) yield cueAround(now - dayMs, dayMs)
  for (const [, name = ""] of text.matchAll(new RegExp(`\\blast (${weekdays.join("|")})\\b`, "g"))) {
    const back = (calendarDay(now).weekday - weekdays.indexOf(name) + 7) % 7 || 7
    yield cueAround(now - back * dayMs, dayMs)
  }
}

function cueAround(middle: number, halfMs: number): TimeCue {
  return { from: middle - halfMs, to: middle + halfMs, weight: 0.6 }
}

function countOf(text: string): number {
  if (text === "a" || text === "an") return 1
  if (text === "a couple of") return 2
  if (text === "a few") return 3
  const word = numbers.indexOf(text)
  return word >= 0 ? word : Number(text)
}

/** The gain of a memory of this time: the best month or year cue plus the best narrower cue. */
export function timeGain(cues: readonly TimeCue[], at: number): number {
  let wide = 0
  let narrow = 0
  for (const { from, to, weight } of cues) {
    if (at < from || at >= to) continue
    if (to - from > 25 * dayMs) wide = Math.max(wide, weight)
    else narrow = Math.max(narrow, weight)
  }
  return wide + narrow
}

const timeTerms: ReadonlySet<number> = new Set(
  [
    ...months,
    ...weekdays,
    ..."yesterday today tonight tomorrow last next ago week weekend month year morning evening".split(" "),
  ].map(termOf),
)

/** Whether a text names a time: a day, a month, last week. */
export function tellsTime(terms: Uint32Array): boolean {
  return terms.some((term) => timeTerms.has(term))
}
