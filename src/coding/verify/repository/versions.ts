/** How a stated version fits a range; `least` if the range means this version or anything newer. */
type Match = "same" | "least" | "other" | "unclear"

/** The numbers of a version, such as 18.2 or ^18.2.0. */
function numbersOf(text: string): number[] | undefined {
  const [found] = /\d+(?:\.\d+)*/.exec(text) ?? []
  return found?.split(".").map(Number)
}

/** Compares the numbers that both have: 18 is the same as 18.2.0. */
export function isSameVersion(stated: string, exact: string): boolean {
  const [a, b] = [numbersOf(stated), numbersOf(exact)]
  if (a === undefined || b === undefined) return false
  return a.slice(0, b.length).every((number, index) => number === b[index])
}

const closedRange = /^(?:[~^=v]|==|~=|~>)?\s*v?\d+(?:\.\d+|\.[x*])*(?:[-+][\w.]+)?$/

/** Compares a stated version with a range in a manifest. A range without an upper end is unclear. */
export function matchRange(stated: string, range: string): Match {
  const plain = range.trim()
  if (!closedRange.test(plain)) {
    const isLeast = /^>=\s*[\d.]+$/.test(plain) && isSameVersion(stated, plain)
    return isLeast ? "least" : "unclear"
  }
  if (isSameVersion(stated, plain)) return "same"
  return isWithin(stated, plain) ? "unclear" : "other"
}

/** Whether a range such as ^5.4.0 allows a version above its start. */
function isWithin(stated: string, range: string): boolean {
  const [version, from] = [numbersOf(stated), numbersOf(range)]
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

/** An exact version with as many numbers as the stated one. */
export function inStyleOf(stated: string, exact: string): string {
  const count = numbersOf(stated)?.length ?? 1
  return (numbersOf(exact) ?? []).slice(0, count).join(".")
}
