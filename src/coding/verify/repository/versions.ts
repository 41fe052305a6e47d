/** Whether a version that was told is what a manifest asks for; `least` if it asks for that or anything newer. */
type Match = "same" | "least" | "other" | "unclear"

/** The numbers of a version, such as 18.2 or ^18.2.0. */
function numbersOf(text: string): number[] | undefined {
  const [found] = /\d+(?:\.\d+)*/.exec(text) ?? []
  return found?.split(".").map(Number)
}

/** Compares as far as both tell: 18 is the same as 18.2.0. */
export function isSameVersion(told: string, exact: string): boolean {
  const [a, b] = [numbersOf(told), numbersOf(exact)]
  if (a === undefined || b === undefined) return false
  return a.slice(0, b.length).every((number, index) => number === b[index])
}

const closedRange = /^(?:[~^=v]|==|~=|~>)?\s*v?\d+(?:\.\d+|\.[x*])*(?:[-+][\w.]+)?$/

/** What a range in a manifest says of a version that was told. One without an upper end says little. */
export function matchRange(told: string, range: string): Match {
  const plain = range.trim()
  if (!closedRange.test(plain)) {
    const isLeast = /^>=\s*[\d.]+$/.test(plain) && isSameVersion(told, plain)
    return isLeast ? "least" : "unclear"
  }
  if (isSameVersion(told, plain)) return "same"
  return isWithin(told, plain) ? "unclear" : "other"
}

/** Whether a range such as ^5.4.0 allows for a version that is higher than its beginning. */
function isWithin(told: string, range: string): boolean {
  const [version, from] = [numbersOf(told), numbersOf(range)]
  if (version === undefined || from === undefined || !/^[~^]/.test(range)) return false
  const fixed = range.startsWith("^") ? from.findIndex((number) => number !== 0) + 1 : 2
  const isSameLine = from
    .slice(0, Math.max(1, fixed))
    .every((number, index) => (version[index] ?? number) === number)
  return isSameLine && isAbove(version, from)
}

function isAbove(version: readonly number[], from: readonly number[]): boolean {
  for (const [index, number] of version.entries()) {
    const other = from[index] ?? 0
    if (number !== other) return number > other
  }
  return true
}

/** An exact version written with as many numbers as another. */
export function inStyleOf(told: string, exact: string): string {
  const count = numbersOf(told)?.length ?? 1
  return (numbersOf(exact) ?? []).slice(0, count).join(".")
}
