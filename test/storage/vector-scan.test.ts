import { describe, expect, test } from "vitest"
import { bestOf, openScan, quantize, type Scan } from "../../src/storage/sqlite/vector-scan.ts"

function top(scan: Scan, query: Float32Array, count: number, allowed?: (slot: number) => boolean) {
  return bestOf(scan.scores(query), count, allowed)
}

type Random = () => number

function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32
  }
}

function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function randomUnit(random: Random, dimensions: number): Float32Array {
  return unit(Float32Array.from({ length: dimensions }, () => gaussian(random)))
}

function near(center: Float32Array, spread: number, random: Random): Float32Array {
  const step = spread / Math.sqrt(center.length)
  return unit(center.map((value) => value + step * gaussian(random)))
}

function clustered(random: Random, rows: number, dimensions: number): Float32Array[] {
  const centers = Array.from({ length: Math.ceil(rows / 50) }, () => randomUnit(random, dimensions))
  return Array.from({ length: rows }, (_, row) => {
    const center = centers[row % centers.length] ?? new Float32Array(dimensions)
    return near(center, 0.7, random)
  })
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}

function exactTop(vectors: Float32Array[], query: Float32Array, count: number): number[] {
  const scored = vectors.map((vector, slot) => ({ slot, score: dot(vector, query) }))
  scored.sort((a, b) => b.score - a.score || a.slot - b.slot)
  return scored.slice(0, count).map(({ slot }) => slot)
}

function fill(scan: Scan, vectors: Float32Array[], firstSlot = 0): void {
  for (const [index, vector] of vectors.entries()) {
    const { codes, scale } = quantize(vector)
    scan.putMany(firstSlot + index, codes, Float32Array.of(scale))
  }
}

function packed(vectors: Float32Array[], dimensions: number): { codes: Int8Array; scales: Float32Array } {
  const rows = vectors.map(quantize)
  const codes = new Int8Array(rows.length * dimensions)
  for (const [index, row] of rows.entries()) codes.set(row.codes, index * dimensions)
  return { codes, scales: Float32Array.from(rows, ({ scale }) => scale) }
}

function slots(hits: { slot: number }[]): number[] {
  return hits.map(({ slot }) => slot)
}

describe("quantizing", () => {
  test("stays within half a step of every value", () => {
    const vector = randomUnit(seeded(1), 384)
    const { codes, scale } = quantize(vector)
    for (const [index, value] of vector.entries()) {
      expect(Math.abs((codes[index] ?? 0) * scale - value)).toBeLessThanOrEqual(scale * 0.5001)
    }
  })

  test("uses the whole range on both sides", () => {
    expect([...quantize(Float32Array.of(2, -2, 1, 0)).codes]).toEqual([127, -127, 64, 0])
  })

  test("turns a zero vector into zeros", () => {
    expect(quantize(new Float32Array(3))).toEqual({ codes: new Int8Array(3), scale: 0 })
  })

  test("refuses values that are not finite", () => {
    expect(() => quantize(Float32Array.of(1, Number.NaN))).toThrow(RangeError)
    expect(() => quantize(Float32Array.of(Number.POSITIVE_INFINITY))).toThrow(RangeError)
  })
})

describe.each([
  { name: "with SIMD", options: { simd: true } },
  { name: "in plain JavaScript", options: { simd: false } },
])("a scan $name", ({ options }) => {
  test("finds at least 98 of 100 true neighbours among clustered vectors", () => {
    const random = seeded(7)
    const vectors = clustered(random, 3000, 384)
    const scan = openScan(384, options)
    fill(scan, vectors)
    let found = 0
    for (let asked = 0; asked < 40; asked += 1) {
      const query = near(vectors[asked * 71] ?? new Float32Array(384), 0.5, random)
      const exact = new Set(exactTop(vectors, query, 10))
      found += top(scan, query, 10).filter(({ slot }) => exact.has(slot)).length
    }
    expect(found / 400).toBeGreaterThanOrEqual(0.98)
  })

  test("scores close to the cosine", () => {
    const random = seeded(3)
    const vectors = clustered(random, 200, 384)
    const query = randomUnit(random, 384)
    const scan = openScan(384, options)
    fill(scan, vectors)
    for (const { slot, score } of top(scan, query, 200)) {
      expect(Math.abs(score - dot(vectors[slot] ?? query, query))).toBeLessThan(0.005)
    }
  })

  test.each([1, 3, 15, 16, 17, 100, 383, 1000])("works with %i dimensions", (dimensions) => {
    const random = seeded(dimensions)
    const vectors = Array.from({ length: 37 }, () => randomUnit(random, dimensions))
    const scan = openScan(dimensions, options)
    fill(scan, vectors)
    for (const { slot, score } of top(scan, vectors[5] ?? new Float32Array(dimensions), 37)) {
      expect(
        Math.abs(score - dot(vectors[slot] ?? new Float32Array(0), vectors[5] ?? new Float32Array(0))),
      ).toBeLessThan(0.02)
    }
  })

  test("finds nothing while empty", () => {
    expect(top(openScan(8, options), new Float32Array(8), 5)).toEqual([])
    expect(openScan(8, options).size).toBe(0)
  })

  test("finds the new vector after a slot is overwritten", () => {
    const random = seeded(11)
    const vectors = Array.from({ length: 20 }, () => randomUnit(random, 50))
    const scan = openScan(50, options)
    fill(scan, vectors)
    const replacement = randomUnit(random, 50)
    fill(scan, [replacement], 4)
    expect(scan.size).toBe(20)
    expect(slots(top(scan, replacement, 1))).toEqual([4])
    expect(slots(top(scan, vectors[4] ?? replacement, 1))).not.toEqual([4])
  })

  test("does not find slots that were skipped", () => {
    const scan = openScan(4, options)
    fill(scan, [Float32Array.of(-1, 0, 0, 0)], 5000)
    expect(slots(top(scan, Float32Array.of(1, 0, 0, 0), 10))).toEqual([5000])
  })

  test("keeps everything while it grows", () => {
    const random = seeded(13)
    const vectors = Array.from({ length: 5000 }, () => randomUnit(random, 100))
    const scan = openScan(100, options)
    for (const [slot, vector] of vectors.entries()) {
      fill(scan, [vector], slot)
      if (slot % 997 === 0) expect(slots(top(scan, vectors[slot >> 1] ?? vector, 1))).toEqual([slot >> 1])
    }
    for (const slot of [0, 1, 1023, 1024, 4998, 4999]) {
      expect(slots(top(scan, vectors[slot] ?? new Float32Array(100), 1))).toEqual([slot])
    }
  })

  test.each([64, 50])("takes many rows at once as it takes them one by one (%i dimensions)", (dimensions) => {
    const random = seeded(14)
    const vectors = Array.from({ length: 130 }, () => randomUnit(random, dimensions))
    const oneByOne = openScan(dimensions, options)
    const together = openScan(dimensions, options)
    fill(oneByOne, vectors, 3)
    const { codes, scales } = packed(vectors, dimensions)
    together.putMany(3, codes, scales)
    const query = randomUnit(random, dimensions)
    expect(together.size).toBe(133)
    expect(top(together, query, 130)).toEqual(top(oneByOne, query, 130))
  })

  test("returns only allowed slots, filled up to the count", () => {
    const random = seeded(15)
    const vectors = Array.from({ length: 3000 }, () => randomUnit(random, 32))
    const scan = openScan(32, options)
    fill(scan, vectors)
    const query = randomUnit(random, 32)
    const all = top(scan, query, 3000).filter(({ slot }) => slot % 7 === 0)
    expect(top(scan, query, 25, (slot) => slot % 7 === 0)).toEqual(all.slice(0, 25))
  })

  test("orders equal scores by slot", () => {
    const scan = openScan(16, options)
    const same = new Float32Array(16).fill(0.25)
    fill(
      scan,
      Array.from({ length: 2500 }, () => same),
    )
    expect(slots(top(scan, same, 5))).toEqual([0, 1, 2, 3, 4])
    expect(slots(top(scan, new Float32Array(16), 3))).toEqual([0, 1, 2])
  })

  test("returns no more than asked and no more than there is", () => {
    const scan = openScan(2, options)
    fill(scan, [Float32Array.of(1, 0), Float32Array.of(0, 1)])
    expect(top(scan, Float32Array.of(1, 0), 10)).toHaveLength(2)
    expect(top(scan, Float32Array.of(1, 0), 1)).toHaveLength(1)
    expect(top(scan, Float32Array.of(1, 0), 0)).toEqual([])
  })

  test("does not overflow on the largest possible sums", () => {
    for (const dimensions of [384, 4096]) {
      const scan = openScan(dimensions, options)
      const ones = new Float32Array(dimensions).fill(1)
      scan.putMany(0, new Int8Array(dimensions).fill(127), Float32Array.of(1 / 127))
      scan.putMany(1, new Int8Array(dimensions).fill(-128), Float32Array.of(1 / 128))
      const scores = top(scan, ones, 2).map(({ score }) => score / dimensions)
      expect(scores[0]).toBeCloseTo(1, 4)
      expect(scores[1]).toBeCloseTo(-1, 4)
    }
  })

  test("refuses vectors of another size, bad slots and bad scales", () => {
    const scan = openScan(4, options)
    expect(() => scan.putMany(0, new Int8Array(5), Float32Array.of(1))).toThrow(RangeError)
    expect(() => scan.putMany(0, new Int8Array(8), new Float32Array(3))).toThrow(RangeError)
    expect(() => top(scan, new Float32Array(3), 1)).toThrow(RangeError)
    expect(() => scan.putMany(-1, new Int8Array(4), Float32Array.of(1))).toThrow(RangeError)
    expect(() => scan.putMany(0.5, new Int8Array(4), Float32Array.of(1))).toThrow(RangeError)
    expect(() => scan.putMany(2 ** 40, new Int8Array(4), Float32Array.of(1))).toThrow(RangeError)
    expect(() => scan.putMany(0, new Int8Array(4), Float32Array.of(Number.NaN))).toThrow(RangeError)
    expect(() => openScan(0, options)).toThrow(RangeError)
    expect(scan.size).toBe(0)
  })
})

test("plain JavaScript and SIMD find exactly the same", () => {
  const random = seeded(21)
  for (const dimensions of [7, 48, 384]) {
    const vectors = clustered(random, 2100, dimensions)
    const [fast, plain] = [openScan(dimensions), openScan(dimensions, { simd: false })]
    for (const scan of [fast, plain]) {
      fill(scan, vectors)
    }
    for (let asked = 0; asked < 10; asked += 1) {
      const query = randomUnit(random, dimensions)
      expect(top(plain, query, 50)).toEqual(top(fast, query, 50))
    }
  }
})
