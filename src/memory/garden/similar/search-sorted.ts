/** Binary search: the index at which a number is, or would be inserted, between `from` and `end`. */
function indexIn(numbers: Uint32Array, wanted: number, from: number, end: number): number {
  let [low, high] = [from, end]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** The range of at most `most` sorted numbers around `wanted`. */
export function rangeAround(
  numbers: Uint32Array,
  wanted: number,
  { from = 0, end = numbers.length, most }: { from?: number; end?: number; most: number },
): { from: number; end: number } {
  if (end - from <= most) return { from, end }
  const middle = indexIn(numbers, wanted, from, end) - most / 2
  const first = Math.max(from, Math.min(middle, end - most))
  return { from: first, end: first + most }
}
