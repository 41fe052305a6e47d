import { instantiateKernel } from "../../../base/simd.ts"
import { distanceKernel } from "./distance-kernel.ts"
import type { Pace } from "./pace.ts"

/** Squared Euclidean distances between packed vectors, computed one row at a time. */
export interface Distances {
  readonly count: number
  /** The numbers in a packed vector, which is the work of one distance. */
  readonly width: number
  /** The rows to compare with, written by the caller; has room for all rows. */
  readonly others: Int32Array
  /** The distances from one row to the first `length` of `others`; valid until the next call. */
  from(row: number, length: number): Float64Array
}

interface KernelExports {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  distances(row: number, list: number, end: number, stride: number, rows: number, out: number): void
}

const pageBytes = 65_536
const memoryLimit = 65_536 * pageBytes
const lanes = 16
const floatBytes = 4

/** Packs vectors for comparison. `simd: false` uses plain JavaScript, whose results differ in the last digits. */
export async function openDistances(
  vectors: readonly Float32Array[],
  pace: Pace,
  options: { simd?: boolean } = {},
): Promise<Distances> {
  const kernel =
    options.simd === false ? undefined : (instantiateKernel(distanceKernel) as KernelExports | undefined)
  const count = vectors.length
  const dimensions = vectors[0]?.length ?? 0
  const packed = kernel ? simdDistances(count, dimensions, kernel) : plainDistances(count, dimensions)
  const { rows, width } = packed
  for (const [row, vector] of vectors.entries()) {
    requireComparable(vector, dimensions)
    rows.set(vector, row * width)
    if (pace.spend(width)) await pace.rest()
  }
  return packed
}

/** Distances with the buffer of their vectors, `width` numbers each. */
interface Packed extends Distances {
  rows: Float32Array
}

function simdDistances(count: number, dimensions: number, { memory, distances }: KernelExports): Packed {
  const width = Math.ceil(dimensions / lanes) * lanes
  const stride = width * floatBytes
  const listAt = count * stride
  const resultsAt = listAt + Math.ceil(count / 2) * 2 * Int32Array.BYTES_PER_ELEMENT
  const bytes = resultsAt + count * Float64Array.BYTES_PER_ELEMENT
  if (bytes > memoryLimit) throw new RangeError("too many vectors for the memory of the WASM kernel")
  memory.grow(Math.ceil(bytes / pageBytes))
  const results = new Float64Array(memory.buffer, resultsAt, count)
  return {
    count,
    width,
    rows: new Float32Array(memory.buffer, 0, count * width),
    others: new Int32Array(memory.buffer, listAt, count),
    from(row, length) {
      distances(row * stride, listAt, listAt + length * floatBytes, stride, 0, resultsAt)
      return results
    },
  }
}

function plainDistances(count: number, dimensions: number): Packed {
  const rows = new Float32Array(count * dimensions)
  const others = new Int32Array(count)
  const results = new Float64Array(count)
  const vectorAt = (row: number) => rows.subarray(row * dimensions, (row + 1) * dimensions)
  return {
    count,
    width: dimensions,
    rows,
    others,
    from(row, length) {
      const mine = vectorAt(row)
      for (let index = 0; index < length; index += 1) {
        results[index] = squaredDistance(mine, vectorAt(others[index] ?? 0))
      }
      return results
    },
  }
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index += 1) {
    const step = (a[index] ?? 0) - (b[index] ?? 0)
    sum += step * step
  }
  return sum
}

function requireComparable(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) throw new RangeError("vectors to compare must have the same length")
  let zero = 0
  for (let index = 0; index < dimensions; index += 1) zero += (vector[index] ?? 0) * 0
  if (zero !== 0) throw new RangeError("vectors must contain only finite numbers")
}
