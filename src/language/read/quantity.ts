/** A number with what is known about it; two of them are compared, never calculated with. */
export type Quantity =
  | { kind: "amount"; value: number; digits: string; unit: string }
  | { kind: "version"; digits: string }
  | { kind: "ordinal"; value: number }
  | { kind: "date"; year?: number; month?: number; day?: number; unsure?: boolean }
  | { kind: "time"; minutes: number; halfDay: boolean }
  | { kind: "range"; from: number; to: number }

/** Whether two quantities are one, exclude each other, may be one, or have nothing to do with each other. */
export type Comparison = "equal" | "different" | "perhaps" | "unrelated"

/** Compares two quantities that stand in the same slot. */
export function compareQuantities(a: Quantity, b: Quantity): Comparison {
  if (a.kind === b.kind) return compareAlike(a, b)
  if (hasDigits(a) && hasDigits(b)) return compareVersions(a.digits, b.digits)
  if (a.kind === "range" && b.kind === "amount") return compareWithRange(b.value, a)
  if (a.kind === "amount" && b.kind === "range") return compareWithRange(a.value, b)
  return "unrelated"
}

function compareAlike(a: Quantity, b: Quantity): Comparison {
  if (a.kind === "amount" && b.kind === "amount") return compareAmounts(a, b)
  if (a.kind === "date" && b.kind === "date") return compareDates(a, b)
  if (a.kind === "time" && b.kind === "time") return compareTimes(a, b)
  if (a.kind === "version" && b.kind === "version") return compareVersions(a.digits, b.digits)
  if (a.kind === "ordinal" && b.kind === "ordinal") return equalIf(a.value === b.value)
  return a.kind === "range" && b.kind === "range" ? equalIf(a.from === b.from && a.to === b.to) : "unrelated"
}

function equalIf(equal: boolean): Comparison {
  return equal ? "equal" : "different"
}

type Amount = Extract<Quantity, { kind: "amount" }>
type DateQuantity = Extract<Quantity, { kind: "date" }>
type TimeQuantity = Extract<Quantity, { kind: "time" }>

function hasDigits(quantity: Quantity): quantity is Extract<Quantity, { digits: string }> {
  return quantity.kind === "amount" || quantity.kind === "version"
}

function compareAmounts(a: Amount, b: Amount): Comparison {
  if (a.unit === b.unit) return compareValues(a, b)
  if (a.unit === "" || b.unit === "") return a.value === b.value ? "perhaps" : "different"
  const [first, second] = [scaled(a), scaled(b)]
  if (first === undefined || second === undefined || first.measure !== second.measure) return "unrelated"
  return first.sizes.some((size) => second.sizes.includes(size)) ? "equal" : "different"
}

function compareValues(a: Amount, b: Amount): Comparison {
  if (a.digits === b.digits) return "equal"
  if (a.value === b.value) return a.unit === "" && /\./.test(a.digits + b.digits) ? "perhaps" : "equal"
  if (a.unit === "" && (isGrouped(a, b) || isGrouped(b, a))) return "perhaps"
  return a.unit === "" && /\./.test(a.digits + b.digits) ? compareVersions(a.digits, b.digits) : "different"
}

/** "1.000" is a thousand in many languages. */
function isGrouped(a: Amount, b: Amount): boolean {
  return /^\d{1,3}\.\d{3}$/.test(a.digits) && Number(a.digits.replace(".", "")) === b.value
}

/** Node 22 may be Node 22.13, and cannot be Node 20. */
function compareVersions(a: string, b: string): Comparison {
  if (a === b) return "equal"
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  return longer.startsWith(`${shorter}.`) || longer.startsWith(`${shorter}-`) ? "perhaps" : "different"
}

function compareDates(a: DateQuantity, b: DateQuantity): Comparison {
  const fields = ["year", "month", "day"] as const
  const both = fields.filter((field) => a[field] !== undefined && b[field] !== undefined)
  const differs = both.some((field) => a[field] !== b[field])
  if (a.unsure || b.unsure)
    return differs && a.unsure !== b.unsure ? "perhaps" : differs ? "different" : "equal"
  if (differs) return "different"
  return fields.every((field) => a[field] === b[field]) ? "equal" : "perhaps"
}

function compareTimes(a: TimeQuantity, b: TimeQuantity): Comparison {
  if (a.minutes === b.minutes) return "equal"
  const unclear = a.halfDay !== b.halfDay && a.minutes % 720 === b.minutes % 720
  return unclear ? "perhaps" : "different"
}

function compareWithRange(value: number, range: { from: number; to: number }): Comparison {
  return value >= range.from && value <= range.to ? "perhaps" : "different"
}

const second = 1000
const day = 86_400_000

/** Units with what they measure and their size; sizes of data are told in thousands or in 1024s. */
const units: Readonly<Record<string, { measure: string; sizes: readonly number[] }>> = {
  ms: { measure: "time", sizes: [1] },
  s: { measure: "time", sizes: [second] },
  min: { measure: "time", sizes: [60 * second] },
  h: { measure: "time", sizes: [3600 * second] },
  d: { measure: "time", sizes: [day] },
  week: { measure: "time", sizes: [7 * day] },
  month: { measure: "time", sizes: [30 * day, 365.25 * (day / 12)] },
  year: { measure: "time", sizes: [365 * day, 365.25 * day, 360 * day] },
  b: { measure: "data", sizes: [1] },
  kb: { measure: "data", sizes: [1e3, 1024] },
  mb: { measure: "data", sizes: [1e6, 1024 ** 2] },
  gb: { measure: "data", sizes: [1e9, 1024 ** 3] },
  tb: { measure: "data", sizes: [1e12, 1024 ** 4] },
  "%": { measure: "share", sizes: [1] },
  mm: { measure: "length", sizes: [1] },
  cm: { measure: "length", sizes: [10] },
  km: { measure: "length", sizes: [1e6] },
  g: { measure: "weight", sizes: [1] },
  kg: { measure: "weight", sizes: [1000] },
  $: { measure: "money", sizes: [1] },
  "€": { measure: "money of another kind", sizes: [1] },
}

function scaled({ value, unit }: Amount) {
  const known = units[unit]
  return known && { measure: known.measure, sizes: known.sizes.map((size) => size * value) }
}

const unitNames: Readonly<Record<string, string>> = {
  millisecond: "ms",
  milliseconds: "ms",
  msec: "ms",
  sec: "s",
  secs: "s",
  second: "s",
  seconds: "s",
  mins: "min",
  minute: "min",
  minutes: "min",
  hr: "h",
  hrs: "h",
  hour: "h",
  hours: "h",
  day: "d",
  days: "d",
  weeks: "week",
  wk: "week",
  months: "month",
  years: "year",
  yr: "year",
  yrs: "year",
  byte: "b",
  bytes: "b",
  kib: "kb",
  kilobyte: "kb",
  kilobytes: "kb",
  mib: "mb",
  megabyte: "mb",
  megabytes: "mb",
  gib: "gb",
  gigabyte: "gb",
  gigabytes: "gb",
  tib: "tb",
  terabyte: "tb",
  terabytes: "tb",
  percent: "%",
  pct: "%",
  dollar: "$",
  dollars: "$",
  usd: "$",
  euro: "€",
  euros: "€",
  eur: "€",
  gram: "g",
  grams: "g",
  kilogram: "kg",
  kilograms: "kg",
  kilometer: "km",
  kilometers: "km",
  kilometre: "km",
  kilometres: "km",
}

/** The unit a word names, if it names one. */
export function unitOf(word: string): string | undefined {
  return unitNames[word] ?? (word in units ? word : undefined)
}
