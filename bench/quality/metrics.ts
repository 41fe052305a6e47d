/** The share of the wanted ones among the first k found. */
export function recallAt(found: readonly string[], wanted: readonly string[], k: number): number {
  const first = new Set(found.slice(0, k))
  return wanted.filter((id) => first.has(id)).length / wanted.length
}

/** The sessions of turns in the order in which they first appear. */
export function sessionsOf(turns: readonly string[], sessionOf: ReadonlyMap<string, string>): string[] {
  return [...new Set(turns.map((turn) => sessionOf.get(turn) ?? turn))]
}

/** The average; of nothing, there is none. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** How often a value of one group is above a value of the other; ties count half. */
export function areaUnderCurve(above: readonly number[], below: readonly number[]): number {
  const all = [
    ...above.map((value) => ({ value, isAbove: true })),
    ...below.map((value) => ({ value, isAbove: false })),
  ].toSorted((a, b) => a.value - b.value)
  let rankSum = 0
  for (let start = 0; start < all.length; ) {
    let end = start
    let aboveHere = 0
    while (end < all.length && all[end]?.value === all[start]?.value) {
      aboveHere += all[end]?.isAbove ? 1 : 0
      end += 1
    }
    // Equal values share the middle of their ranks.
    rankSum += aboveHere * ((start + 1 + end) / 2)
    start = end
  }
  const pairs = above.length * below.length
  return (rankSum - (above.length * (above.length + 1)) / 2) / pairs
}

/** The share of `below` that is rejected by the highest threshold that still keeps that share of `above`. */
export function rejectedAtKeeping(above: readonly number[], below: readonly number[], keep: number): number {
  const sorted = above.toSorted((a, b) => b - a)
  const threshold = sorted[Math.max(0, Math.ceil(keep * sorted.length) - 1)] ?? Number.NEGATIVE_INFINITY
  return below.filter((value) => value < threshold).length / below.length
}
