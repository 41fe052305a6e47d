import type { Distances } from "./distances.ts"
import { coreDistances, type Neighbours } from "./neighbours.ts"
import type { Pace } from "./pace.ts"

/**
 * The edges of a minimum spanning tree. An edge's reach is the squared mutual reachability: the largest of
 * the distance and both core distances. Many edges have the same reach, because a core distance decides it:
 * of those the one with the smaller distance goes first. So the tree does not depend on the vectors' order.
 */
export interface SpanningTree {
  from: Int32Array
  to: Int32Array
  reach: Float64Array
  squared: Float64Array
}

/** Grows the tree from the first vector, always by the nearest outside (Prim); needs no table of all pairs. */
export async function spanTree(
  distances: Distances,
  neighbours: Neighbours,
  pace: Pace,
): Promise<SpanningTree> {
  const growth = startGrowth(distances, neighbours)
  const edges = Math.max(0, distances.count - 1)
  const tree: SpanningTree = {
    from: new Int32Array(edges),
    to: new Int32Array(edges),
    reach: new Float64Array(edges),
    squared: new Float64Array(edges),
  }
  let newest = 0
  for (let edge = 0; edge < edges; edge += 1) {
    const compared = compareWith(growth, newest)
    const at = nearestOutside(growth)
    newest = growth.outside[at] ?? 0
    tree.from[edge] = growth.source[newest] ?? 0
    tree.to[edge] = newest
    tree.reach[edge] = growth.reach[newest] ?? 0
    tree.squared[edge] = growth.squared[newest] ?? 0
    takeIn(growth, at)
    if (pace.spend(compared * distances.width + edges - edge)) await pace.rest()
  }
  return tree
}

interface Growth {
  distances: Distances
  cores: Float64Array
  neighbourOf: NeighbourOf
  /** What is not in the tree yet, in no order, `left` of them; `where` is each one's place in it, or -1. */
  outside: Int32Array
  where: Int32Array
  left: number
  /** For each one outside its best edge into the tree. */
  reach: Float64Array
  squared: Float64Array
  source: Int32Array
}

function startGrowth(distances: Distances, neighbours: Neighbours): Growth {
  const { count } = distances
  const growth: Growth = {
    distances,
    cores: coreDistances(neighbours, count),
    neighbourOf: invert(neighbours, count),
    outside: Int32Array.from({ length: count }, (_, place) => place),
    where: Int32Array.from({ length: count }, (_, place) => place),
    left: count,
    reach: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    squared: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    source: new Int32Array(count),
  }
  if (count > 0) takeIn(growth, 0)
  return growth
}

/** Improves the edges of what is outside by what just came in; returns how many distances that took. */
function compareWith(growth: Growth, newest: number): number {
  const { distances, cores, outside, reach, left } = growth
  const core = cores[newest] ?? 0
  let length = 0
  for (let index = 0; index < left; index += 1) {
    const place = outside[index] ?? 0
    const own = cores[place] ?? 0
    const best = reach[place] ?? 0
    // No edge can be shorter than a core distance. One that is as short as its own core distance already
    // is improved only by its neighbours, whose distances are known: see below.
    if (core > best || own >= best) continue
    distances.others[length] = place
    length += 1
  }
  const found = distances.from(newest, length)
  for (let index = 0; index < length; index += 1) {
    offer(growth, distances.others[index] ?? 0, newest, found[index] ?? 0)
  }
  offerToNeighbours(growth, newest)
  return length
}

function offerToNeighbours(growth: Growth, newest: number): void {
  const { starts, places, squared } = growth.neighbourOf
  for (let index = starts[newest] ?? 0; index < (starts[newest + 1] ?? 0); index += 1) {
    const place = places[index] ?? 0
    if ((growth.where[place] ?? -1) >= 0) offer(growth, place, newest, squared[index] ?? 0)
  }
}

function offer({ cores, reach, squared, source }: Growth, place: number, by: number, distance: number): void {
  const offered = Math.max(cores[by] ?? 0, cores[place] ?? 0, distance)
  const best = reach[place] ?? 0
  if (offered > best || (offered === best && distance >= (squared[place] ?? 0))) return
  reach[place] = offered
  squared[place] = distance
  source[place] = by
}

/** Where in `outside` the one with the shortest edge stands. */
function nearestOutside({ outside, reach, squared, left }: Growth): number {
  let at = 0
  let best = Number.POSITIVE_INFINITY
  let bestSquared = Number.POSITIVE_INFINITY
  for (let index = 0; index < left; index += 1) {
    const place = outside[index] ?? 0
    const length = reach[place] ?? 0
    if (length > best) continue
    const distance = squared[place] ?? 0
    if (length === best && distance >= bestSquared) continue
    at = index
    best = length
    bestSquared = distance
  }
  return at
}

function takeIn(growth: Growth, at: number): void {
  const { outside, where } = growth
  growth.left -= 1
  const place = outside[at] ?? 0
  const last = outside[growth.left] ?? 0
  outside[at] = last
  where[last] = at
  where[place] = -1
}

/** For every vector those that have it among their neighbours, from `starts[place]` to the next start. */
interface NeighbourOf {
  starts: Int32Array
  places: Int32Array
  squared: Float64Array
}

function invert({ each, places, squared }: Neighbours, count: number): NeighbourOf {
  const starts = new Int32Array(count + 1)
  for (const place of places) if (place >= 0) starts[place + 1] = (starts[place + 1] ?? 0) + 1
  for (let place = 0; place < count; place += 1) {
    starts[place + 1] = (starts[place + 1] ?? 0) + (starts[place] ?? 0)
  }
  const next = starts.slice()
  const inverted = {
    starts,
    places: new Int32Array(places.length),
    squared: new Float64Array(places.length),
  }
  for (const [index, place] of places.entries()) {
    if (place < 0) continue
    const at = next[place] ?? 0
    next[place] = at + 1
    inverted.places[at] = Math.floor(index / each)
    inverted.squared[at] = squared[index] ?? 0
  }
  return inverted
}
