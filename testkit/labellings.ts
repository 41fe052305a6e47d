/** How many points have each pair of labels, and each label of either side. */
function tally(a: ArrayLike<number>, b: ArrayLike<number>) {
  const pairs = new Map<string, number>()
  const left = new Map<string, number>()
  const right = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  for (let index = 0; index < a.length; index += 1) {
    add(pairs, `${a[index]} ${b[index]}`)
    add(left, `${a[index]}`)
    add(right, `${b[index]}`)
  }
  return { pairs, left, right }
}

/** Whether two labellings are the same up to the numbers of the clusters; -1 is noise in both. */
export function isRenamed(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false
  const { pairs, left, right } = tally(a, b)
  const noiseAgrees = [...pairs.keys()].every((pair) => pair === "-1 -1" || !/^-1 | -1$/.test(pair))
  return noiseAgrees && pairs.size === left.size && pairs.size === right.size
}

/** Adjusted Rand index: 1 for the same grouping, about 0 for chance; noise counts as one group. */
export function adjustedRand(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const { pairs, left, right } = tally(a, b)
  const couples = (count: number) => (count * (count - 1)) / 2
  const sum = (counts: Map<string, number>) =>
    [...counts.values()].reduce((total, count) => total + couples(count), 0)
  const byChance = (sum(left) * sum(right)) / couples(a.length)
  const most = (sum(left) + sum(right)) / 2
  return most === byChance ? 1 : (sum(pairs) - byChance) / (most - byChance)
}
