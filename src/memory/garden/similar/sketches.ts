import { rangeAround } from "./search-sorted.ts"

/** Finds near vectors by the signs of random projections (locality-sensitive hashing). */
export interface Sketches {
  put(row: number, vector: Float32Array): void
  /** Call it once, after the last `put`. */
  seal(): void
  /** The rows that are likely near, each once, without the row itself. */
  likely(row: number): number[]
}

/**
 * 16 signs per table. Vectors with a cosine of 0.95 differ in one sign with probability 0.1, and buckets one sign away are
 * searched too: a table misses such a pair with probability 0.49, all eight with 0.003. At 0.85 it is 0.17, at 0.75 0.48.
 */
const tables = 8
const signs = 16
const bits = tables * signs
const words = bits / 32
const bucketCount = 2 ** signs
/** Of a larger bucket only this many rows next to the row are compared. */
const mostInBucket = 128
/** A pair with a cosine of 0.75 differs in 29.5 of 128 signs on average, and rarely in more than this. */
const mostDiffering = 42

export function createSketches(rows: number, dimensions: number): Sketches {
  const planes = randomPlanes(dimensions)
  const sketches = new Uint32Array(rows * words)
  const isThere = new Uint8Array(rows)
  const buckets: Buckets[] = []
  /** The number of the search that last met a row. */
  const met = new Uint32Array(rows)
  let searches = 0

  function codeOf(row: number, table: number): number {
    return ((sketches[row * words + (table >> 1)] ?? 0) >>> ((table & 1) * signs)) & (bucketCount - 1)
  }
  function differing(a: number, b: number): number {
    let count = 0
    for (let word = 0; word < words; word += 1)
      count += ones((sketches[a * words + word] ?? 0) ^ (sketches[b * words + word] ?? 0))
    return count
  }
  function searchBucket({ starts, members }: Buckets, bucket: number, row: number, found: number[]): void {
    const range = { from: starts[bucket] ?? 0, end: starts[bucket + 1] ?? 0, most: mostInBucket }
    const { from, end } = rangeAround(members, row, range)
    for (let at = from; at < end; at += 1) {
      const other = members[at] ?? 0
      if (met[other] === searches) continue
      met[other] = searches
      if (differing(row, other) <= mostDiffering) found.push(other)
    }
  }
  return {
    put(row, vector) {
      isThere[row] = 1
      sketch(planes, vector, sketches.subarray(row * words, (row + 1) * words))
    },
    seal() {
      const there = Uint32Array.from(isThere.keys()).filter((row) => isThere[row] === 1)
      for (let table = 0; table < tables; table += 1)
        buckets.push(bucketsOf(there, (row) => codeOf(row, table)))
    },
    likely(row) {
      const found: number[] = []
      searches += 1
      met[row] = searches
      for (const [table, own] of buckets.entries()) {
        const code = codeOf(row, table)
        searchBucket(own, code, row, found)
        for (let sign = 0; sign < signs; sign += 1) searchBucket(own, code ^ (1 << sign), row, found)
      }
      return found
    },
  }
}

/** Rows by their code, ascending within each bucket; a bucket ends where the next one starts. */
interface Buckets {
  starts: Uint32Array
  members: Uint32Array
}

function bucketsOf(rows: Uint32Array, codeOf: (row: number) => number): Buckets {
  const starts = new Uint32Array(bucketCount + 1)
  const count = (at: number, by: number) => {
    starts[at] = (starts[at] ?? 0) + by
  }
  for (const row of rows) count(codeOf(row) + 1, 1)
  for (let code = 1; code < starts.length; code += 1) count(code, starts[code - 1] ?? 0)
  const members = new Uint32Array(rows.length)
  const next = starts.slice()
  for (const row of rows) {
    const code = codeOf(row)
    const at = next[code] ?? 0
    members[at] = row
    next[code] = at + 1
  }
  return { starts, members }
}

function sketch(planes: Float32Array, vector: Float32Array, into: Uint32Array): void {
  const { length } = vector
  for (let bit = 0, at = 0; bit < bits; bit += 1) {
    let sum = 0
    for (let index = 0; index < length; index += 1, at += 1) sum += (planes[at] ?? 0) * (vector[index] ?? 0)
    if (sum > 0) into[bit >> 5] = (into[bit >> 5] ?? 0) | (1 << (bit & 31))
  }
}

/** How many bits are set. */
function ones(value: number): number {
  let rest = value - ((value >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

const made = new Map<number, Float32Array>()

/** Seeded, so that every run finds the same pairs. */
function randomPlanes(dimensions: number): Float32Array {
  const known = made.get(dimensions)
  if (known) return known
  const planes = new Float32Array(bits * dimensions)
  let state = 0x9e3779b9
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  // The sum of four uniform numbers is close enough to a normal distribution.
  for (let at = 0; at < planes.length; at += 1) planes[at] = next() + next() + next() + next() - 2
  made.set(dimensions, planes)
  return planes
}
