import units from "../../../assets/words/units.json" with { type: "json" }

/** A number with its kind and unit. */
export type Quantity =
  | { kind: "amount"; value: number; digits: string; unit: string }
  | { kind: "version"; digits: string }
  | { kind: "ordinal"; value: number }
  | { kind: "date"; year?: number | undefined; month?: number; day?: number | undefined; unsure?: boolean }
  | { kind: "time"; minutes: number; halfDay: boolean }
  | { kind: "range"; from: number; to: number }

/** Whether two quantities are equal, exclude each other, may be equal, or cannot be compared. */
export type Comparison = "equal" | "different" | "perhaps" | "unrelated"

/** Compares two quantities in the same slot. */
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

function scaled({ value, unit }: Amount) {
  const known = unitsByName.get(unit)
  return known && { measure: known.measure, sizes: known.sizes.map((size) => size * value) }
}

/** Units by symbol, with what they measure and their sizes: data sizes count in 1000s or in 1024s. */
const unitsByName = new Map(Object.entries(units))
const symbols = new Map(
  Object.entries(units).flatMap(([symbol, { names }]) =>
    names.split(" ").map((name): [string, string] => [name, symbol]),
  ),
)

/** The symbol of the unit that a word names. */
export function unitOf(word: string): string | undefined {
  return symbols.get(word)
}
