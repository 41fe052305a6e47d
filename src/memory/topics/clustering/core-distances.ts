import type { Distances } from "./distances.ts"
import type { Pace } from "./pace.ts"

// So many rows are compared with all later ones before the next: they stay in the processor's cache.
const blockRows = 64

/** For every vector the squared distance to its k-th nearest other; all 0 for none. Compares each pair once. */
export async function coreDistances(distances: Distances, k: number, pace: Pace): Promise<Float64Array> {
  const { count, width, others } = distances
  if (k === 0) return new Float64Array(count)
  const nearest = new Float64Array(count * k).fill(Number.POSITIVE_INFINITY)
  for (let first = 0; first < count; first += blockRows) {
    const behind = Math.min(count, first + blockRows)
    for (let place = first; place < behind; place += 1) others[place - first] = place
    for (let place = first + 1; place < count; place += 1) {
      const length = Math.min(place, behind) - first
      const found = distances.from(place, length)
      for (let index = 0; index < length; index += 1) {
        const squared = found[index] ?? 0
        offer(nearest, place * k, k, squared)
        offer(nearest, (first + index) * k, k, squared)
      }
      if (pace.spend(length * width)) await pace.rest()
    }
  }
  return Float64Array.from({ length: count }, (_, place) => nearest[(place + 1) * k - 1] ?? 0)
}

// Keeps the k smallest from `start` on, sorted.
function offer(nearest: Float64Array, start: number, k: number, squared: number): void {
  let at = start + k - 1
  if (squared >= (nearest[at] ?? 0)) return
  for (; at > start && (nearest[at - 1] ?? 0) > squared; at -= 1) nearest[at] = nearest[at - 1] ?? 0
  nearest[at] = squared
}
