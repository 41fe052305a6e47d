import type { Distances } from "./distances.ts"
import type { Pace } from "./pace.ts"

// Rows per block. A block is compared with all later rows while it is in the processor's cache.
const blockRows = 64

/** The squared distance of every vector to its k-th nearest other; 0 if k is 0. Compares each pair once. */
export async function coreDistances(distances: Distances, k: number, pace: Pace): Promise<Float64Array> {
  const { count, width, others } = distances
  if (k === 0) return new Float64Array(count)
  const nearest = new Float64Array(count * k).fill(Number.POSITIVE_INFINITY)
  for (let first = 0; first < count; first += blockRows) {
    const behind = Math.min(count, first + blockRows)
    for (let row = first; row < behind; row += 1) others[row - first] = row
    for (let row = first + 1; row < count; row += 1) {
      const length = Math.min(row, behind) - first
      const found = distances.from(row, length)
      for (let index = 0; index < length; index += 1) {
        const squared = found[index] ?? 0
        offer(nearest, row * k, k, squared)
        offer(nearest, (first + index) * k, k, squared)
      }
      if (pace.spend(length * width)) await pace.rest()
    }
  }
  return Float64Array.from({ length: count }, (_, row) => nearest[(row + 1) * k - 1] ?? 0)
}

// Keeps the k smallest from `start` on, sorted.
function offer(nearest: Float64Array, start: number, k: number, squared: number): void {
  let at = start + k - 1
  if (squared >= (nearest[at] ?? 0)) return
  for (; at > start && (nearest[at - 1] ?? 0) > squared; at -= 1) nearest[at] = nearest[at - 1] ?? 0
  nearest[at] = squared
}
