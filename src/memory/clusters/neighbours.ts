import type { Distances } from "./distances.ts"
import type { Pace } from "./pace.ts"

/** The nearest others of every vector, nearest first: `each` places and squared distances per vector. */
export interface Neighbours {
  each: number
  places: Int32Array
  squared: Float64Array
}

// So many rows are compared with all later ones before the next: they stay in the processor's cache.
const blockRows = 64

/** Finds the nearest others of every vector, comparing each pair once. */
export async function findNeighbours(distances: Distances, each: number, pace: Pace): Promise<Neighbours> {
  const { count, width, others } = distances
  const neighbours: Neighbours = {
    each,
    places: new Int32Array(count * each).fill(-1),
    squared: new Float64Array(count * each).fill(Number.POSITIVE_INFINITY),
  }
  if (each === 0) return neighbours
  for (let first = 0; first < count; first += blockRows) {
    const behind = Math.min(count, first + blockRows)
    for (let place = first; place < behind; place += 1) others[place - first] = place
    for (let place = first + 1; place < count; place += 1) {
      const length = Math.min(place, behind) - first
      const found = distances.from(place, length)
      for (let index = 0; index < length; index += 1) {
        const squared = found[index] ?? 0
        offer(neighbours, place, first + index, squared)
        offer(neighbours, first + index, place, squared)
      }
      if (pace.spend(length * width)) await pace.rest()
    }
  }
  return neighbours
}

/** Squared core distances: how far the last of the neighbours is; 0 when none are asked for. */
export function coreDistances({ each, squared }: Neighbours, count: number): Float64Array {
  const cores = new Float64Array(count)
  if (each > 0) {
    for (let place = 0; place < count; place += 1) cores[place] = squared[place * each + each - 1] ?? 0
  }
  return cores
}

// Keeps the list sorted; the first of equally near ones stays.
function offer({ each, places, squared }: Neighbours, of: number, place: number, distance: number): void {
  const last = of * each + each - 1
  if (distance >= (squared[last] ?? 0)) return
  let at = last
  for (; at > of * each && (squared[at - 1] ?? 0) > distance; at -= 1) {
    squared[at] = squared[at - 1] ?? 0
    places[at] = places[at - 1] ?? 0
  }
  squared[at] = distance
  places[at] = place
}
