// Nearest vectors by brute force: one signed byte per dimension, scanned in memory.
import { instantiateKernel } from "../../base/simd.ts"
import { vectorKernel } from "./vector-kernel.ts"

/** A vector as integers from -127 to 127; code times scale approximates the original value. */
type Quantized = { codes: Int8Array; scale: number }

/** One hit of a scan; for unit vectors the score approximates the cosine. */
type ScanHit = { slot: number; score: number }

/** `simd: false` uses plain JavaScript, which gives exactly the same results. */
type ScanOptions = { simd?: boolean }

// Memory that starts with the query and a block of results, followed by the rows.
type Kernel = {
  buffer(): ArrayBuffer
  grow(bytes: number): void
  dots(firstRowAt: number, rows: number): void
}

type Layout = { stride: number; resultsAt: number; rowsAt: number }

type KernelExports = {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  dots(row: number, end: number, stride: number, query: number, out: number): void
}

const codeLimit = 127
const blockRows = 1024
const pageBytes = 65_536
const memoryLimit = 65_536 * pageBytes
const maxDimensions = 65_536

/** Turns a vector into signed bytes with one scale for all of them. */
export function quantize(vector: Float32Array): Quantized {
  const codes = new Int8Array(vector.length)
  return { codes, scale: quantizeInto(codes, vector, codeLimit) }
}

/** Opens an empty scan for vectors with this many dimensions. */
export function openScan(dimensions: number, options: ScanOptions = {}): Scan {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > maxDimensions) {
    throw new RangeError(`dimensions must be a whole number from 1 to ${maxDimensions}, not ${dimensions}`)
  }
  const layout = layoutFor(dimensions)
  const simd =
    options.simd === false ? undefined : (instantiateKernel(vectorKernel) as KernelExports | undefined)
  return new Scan(dimensions, layout, simd ? simdKernel(layout, simd) : plainKernel(layout))
}

/** Vectors in memory, numbered by slots, searched by comparing all of them. */
export class Scan {
  readonly #dimensions: number
  readonly #layout: Layout
  readonly #kernel: Kernel
  // One scale per slot, NaN where the slot is empty: its score is NaN too and beats nothing.
  #scales = new Float32Array(0)
  #size = 0

  constructor(dimensions: number, layout: Layout, kernel: Kernel) {
    this.#dimensions = dimensions
    this.#layout = layout
    this.#kernel = kernel
    kernel.grow(layout.rowsAt)
  }

  /** The highest slot in use plus one. */
  get size(): number {
    return this.#size
  }

  /** Fills consecutive slots from rows of codes lying back to back, replacing what was there. */
  putMany(firstSlot: number, codes: Int8Array, scales: Float32Array): void {
    requireSlot(firstSlot)
    requireLength("codes", codes, scales.length * this.#dimensions)
    if (!scales.every(Number.isFinite)) throw new RangeError("a scale must be a finite number")
    this.#reserve(firstSlot + scales.length)
    this.#writeRows(firstSlot, codes)
    this.#scales.set(scales, firstSlot)
    if (scales.length > 0) this.#size = Math.max(this.#size, firstSlot + scales.length)
  }

  /** The codes and scales of some slots, as `putMany` takes them. */
  rowsOf(slots: readonly number[]): { codes: Int8Array; scales: Float32Array } {
    const { stride, rowsAt } = this.#layout
    const rows = new Int8Array(this.#kernel.buffer(), rowsAt)
    const codes = new Int8Array(slots.length * this.#dimensions)
    slots.forEach((slot, index) => {
      const from = slot * stride
      codes.set(rows.subarray(from, from + this.#dimensions), index * this.#dimensions)
    })
    return { codes, scales: Float32Array.from(slots, (slot) => this.#scales[slot] ?? Number.NaN) }
  }

  /** The score of every slot; NaN where a slot is empty. */
  scores(query: Float32Array): Float32Array {
    requireLength("query", query, this.#dimensions)
    const queryScale = this.#setQuery(query)
    const { stride, resultsAt, rowsAt } = this.#layout
    const scores = new Float32Array(this.#size)
    for (let first = 0; first < this.#size; first += blockRows) {
      const rows = Math.min(blockRows, this.#size - first)
      this.#kernel.dots(rowsAt + first * stride, rows)
      const dots = new Int32Array(this.#kernel.buffer(), resultsAt, rows)
      const scales = this.#scales.subarray(first, first + rows)
      for (let row = 0; row < rows; row += 1) {
        scores[first + row] = (dots[row] ?? 0) * (scales[row] ?? Number.NaN) * queryScale
      }
    }
    return scores
  }

  /** The scores of some slots. */
  scoresOf(query: Float32Array, slots: readonly number[]): Float32Array {
    requireLength("query", query, this.#dimensions)
    const queryScale = this.#setQuery(query)
    const { stride, resultsAt, rowsAt } = this.#layout
    const dot = new Int32Array(this.#kernel.buffer(), resultsAt, 1)
    return Float32Array.from(slots, (slot) => {
      if (slot >= this.#size) return Number.NaN
      this.#kernel.dots(rowsAt + slot * stride, 1)
      return (dot[0] ?? 0) * (this.#scales[slot] ?? Number.NaN) * queryScale
    })
  }

  /** Empties every slot but keeps the memory allocated. */
  clear(): void {
    this.#scales.fill(Number.NaN, 0, this.#size)
    this.#size = 0
  }

  // The query gets 16 bits where the rows have 8: the kernel widens the rows anyway.
  #setQuery(query: Float32Array): number {
    const { stride } = this.#layout
    const limit = Math.min(32_767, Math.floor((2 ** 31 - 1) / (128 * stride)))
    return quantizeInto(new Int16Array(this.#kernel.buffer(), 0, stride), query, limit)
  }

  #writeRows(firstSlot: number, codes: Int8Array): void {
    const { stride, rowsAt } = this.#layout
    const rows = new Int8Array(this.#kernel.buffer(), rowsAt + firstSlot * stride)
    if (stride === this.#dimensions) {
      rows.set(codes)
      return
    }
    for (let from = 0, to = 0; from < codes.length; from += this.#dimensions, to += stride) {
      rows.set(codes.subarray(from, from + this.#dimensions), to)
    }
  }

  #reserve(slots: number): void {
    const { stride, rowsAt } = this.#layout
    this.#kernel.grow(rowsAt + slots * stride)
    if (slots <= this.#scales.length) return
    const scales = new Float32Array(Math.max(slots, this.#scales.length * 2)).fill(Number.NaN)
    scales.set(this.#scales)
    this.#scales = scales
  }
}

/**
 * The best slots with a score greater than `above`, best first, equal scores by slot. `allowed` is called only for slots
 * good enough to be returned, and must not change the scan.
 */
export function bestOf(
  scores: Float32Array,
  count: number,
  allowed?: (slot: number) => boolean,
  above = Number.NEGATIVE_INFINITY,
): ScanHit[] {
  if (!(count >= 1)) return []
  const best = new BestHits(Math.floor(count), above)
  for (let slot = 0; slot < scores.length; slot += 1) {
    const score = scores[slot] ?? Number.NaN
    if (score > best.floor && (allowed === undefined || allowed(slot))) best.add(slot, score)
  }
  return best.take()
}

// The best hits so far as a heap with the worst on top, in plain arrays to avoid garbage.
class BestHits {
  /** The score that a new hit must exceed; it is from a later slot, so an equal score is not enough. */
  floor: number
  readonly #count: number
  readonly #slots: number[] = []
  readonly #scores: number[] = []

  constructor(count: number, above: number) {
    this.#count = count
    this.floor = above
  }

  add(slot: number, score: number): void {
    if (this.#slots.length < this.#count) {
      this.#rise(this.#slots.length, slot, score)
    } else {
      this.#sink(slot, score)
    }
    if (this.#slots.length === this.#count) this.floor = this.#scores[0] ?? this.floor
  }

  take(): ScanHit[] {
    const hits = this.#slots.map((slot, index) => ({ slot, score: this.#scores[index] ?? Number.NaN }))
    return hits.sort((a, b) => b.score - a.score || a.slot - b.slot)
  }

  /** Inserts a hit at the end and moves it up past all better ones. */
  #rise(end: number, slot: number, score: number): void {
    let index = end
    while (index > 0) {
      const above = (index - 1) >> 1
      if (!this.#isWorse(slot, score, above)) break
      this.#move(above, index)
      index = above
    }
    this.#slots[index] = slot
    this.#scores[index] = score
  }

  /** Replaces the worst hit and moves the new one down past all worse ones. */
  #sink(slot: number, score: number): void {
    const size = this.#slots.length
    let index = 0
    for (let below = 1; below < size; below = 2 * index + 1) {
      if (
        below + 1 < size &&
        this.#isWorse(this.#slots[below + 1] ?? 0, this.#scores[below + 1] ?? 0, below)
      ) {
        below += 1
      }
      if (this.#isWorse(slot, score, below)) break
      this.#move(below, index)
      index = below
    }
    this.#slots[index] = slot
    this.#scores[index] = score
  }

  #isWorse(slot: number, score: number, index: number): boolean {
    const other = this.#scores[index] ?? 0
    return score < other || (score === other && slot > (this.#slots[index] ?? 0))
  }

  #move(from: number, to: number): void {
    this.#slots[to] = this.#slots[from] ?? 0
    this.#scores[to] = this.#scores[from] ?? 0
  }
}

function layoutFor(dimensions: number): Layout {
  const stride = roundUp(dimensions, 16)
  const resultsAt = stride * Int16Array.BYTES_PER_ELEMENT
  const rowsAt = roundUp(resultsAt + blockRows * Int32Array.BYTES_PER_ELEMENT, 64)
  return { stride, resultsAt, rowsAt }
}

function simdKernel({ stride, resultsAt }: Layout, { memory, dots }: KernelExports): Kernel {
  return {
    buffer: () => memory.buffer,
    grow(bytes) {
      const target = grownSize(memory.buffer.byteLength, bytes)
      if (target > memory.buffer.byteLength) memory.grow((target - memory.buffer.byteLength) / pageBytes)
    },
    dots: (rowAt, rows) => dots(rowAt, rowAt + rows * stride, stride, 0, resultsAt),
  }
}

function plainKernel({ stride, resultsAt }: Layout): Kernel {
  let buffer = new ArrayBuffer(pageBytes)
  return {
    buffer: () => buffer,
    grow(bytes) {
      const target = grownSize(buffer.byteLength, bytes)
      if (target > buffer.byteLength) buffer = buffer.transfer(target)
    },
    dots(rowAt, rows) {
      const query = new Int16Array(buffer, 0, stride)
      const results = new Int32Array(buffer, resultsAt, rows)
      for (let row = 0; row < rows; row += 1) {
        results[row] = dotProduct(query, new Int8Array(buffer, rowAt + row * stride, stride))
      }
    },
  }
}

function dotProduct(query: Int16Array, row: Int8Array): number {
  let sum = 0
  for (let index = 0; index < query.length; index += 1) sum += (query[index] ?? 0) * (row[index] ?? 0)
  return sum
}

// At least doubles, so that repeated growth stays cheap; untouched memory costs nothing.
function grownSize(current: number, needed: number): number {
  if (needed <= current) return current
  if (needed > memoryLimit) throw new RangeError("a scan cannot hold that many vectors")
  return Math.min(memoryLimit, roundUp(Math.max(needed, current * 2), pageBytes))
}

function quantizeInto(codes: Int8Array | Int16Array, vector: Float32Array, limit: number): number {
  let peak = 0
  for (const value of vector) {
    if (!Number.isFinite(value)) throw new RangeError("a vector may hold only finite numbers")
    peak = Math.max(peak, Math.abs(value))
  }
  const factor = peak === 0 ? 0 : limit / peak
  for (let index = 0; index < vector.length; index += 1)
    codes[index] = Math.round((vector[index] ?? 0) * factor)
  return Math.fround(peak / limit)
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step
}

function requireSlot(slot: number): void {
  if (!Number.isInteger(slot) || slot < 0)
    throw new RangeError(`a slot is a whole number from 0, not ${slot}`)
}

function requireLength(name: string, array: { length: number }, length: number): void {
  if (array.length !== length) throw new RangeError(`${name} must have ${length} values, not ${array.length}`)
}
