import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Random } from "../../../src/base/random.ts"
import { clusterVectors } from "../../../src/memory/topics/clustering/cluster.ts"
import { openDistances } from "../../../src/memory/topics/clustering/distances.ts"
import { createPace } from "../../../src/memory/topics/clustering/pace.ts"
import { adjustedRand, isRenamed } from "../../../testkit/labellings.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"

const pause = async () => {}

describe("what there is to cluster", () => {
  test("nothing gives nothing", async () => {
    const found = await clusterVectors([], { minClusterSize: 2 })
    expect(found).toEqual({ labels: new Int32Array(0), probabilities: new Float64Array(0), count: 0 })
  })

  test("one vector, or fewer than make a cluster, belong nowhere", async () => {
    for (const size of [1, 2, 4]) {
      const found = await clusterVectors(cloud(createSeededRandom(size), size, 3), { minClusterSize: 5 })
      expect([...found.labels]).toEqual(Array.from({ length: size }, () => -1))
      expect([...found.probabilities]).toEqual(Array.from({ length: size }, () => 0))
    }
  })

  test("identical vectors are one cluster if everything may be one, and none if not", async () => {
    const vectors = Array.from({ length: 40 }, () => Float32Array.of(0.6, 0.8))
    const single = await clusterVectors(vectors, { minClusterSize: 5, allowSingleCluster: true })
    expect(new Set(single.labels)).toEqual(new Set([0]))
    expect(new Set(single.probabilities)).toEqual(new Set([1]))
    const several = await clusterVectors(vectors, { minClusterSize: 5 })
    expect(several.count).toBe(0)
  })

  test("a group that is too large is taken apart, or stays whole where it has no parts", async () => {
    const random = createSeededRandom(3)
    const heap = (x: number, y: number, size: number) =>
      Array.from({ length: size }, () => Float32Array.of(x + random.next(), y + random.next()))
    const vectors = [...heap(0, 0, 20), ...heap(1.3, 0, 20), ...heap(30, 30, 20)]
    const sizes = async (maxClusterSize?: number) => {
      const options = maxClusterSize === undefined ? {} : { maxClusterSize }
      const { labels } = await clusterVectors(vectors, { minClusterSize: 5, pause, ...options })
      const counts = new Map<number, number>()
      for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
      counts.delete(-1)
      return [...counts.values()].sort((a, b) => a - b)
    }
    expect(await sizes()).toEqual([20, 40])
    expect(await sizes(30)).toEqual([20, 20, 20])
    // Only one of the heaps has parts of its own.
    expect(await sizes(10)).toEqual([5, 10, 20, 20])
  })

  test("two heaps of identical vectors are two clusters", async () => {
    const vectors = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? Float32Array.of(1, 0) : Float32Array.of(0, 1),
    )
    const found = await clusterVectors(vectors, { minClusterSize: 5 })
    expect(
      isRenamed(
        found.labels,
        vectors.map((vector) => vector[0] ?? 0),
      ),
    ).toBe(true)
    expect(new Set(found.probabilities)).toEqual(new Set([1]))
  })

  test("more samples than vectors are as many as there are", async () => {
    const vectors = cloud(createSeededRandom(3), 12, 3)
    const found = await clusterVectors(vectors, { minClusterSize: 2, minSamples: 50 })
    expect(found).toEqual(await clusterVectors(vectors, { minClusterSize: 2, minSamples: 12 }))
  })

  test("vectors that cannot be compared are refused", async () => {
    const unlike = [Float32Array.of(1, 0), Float32Array.of(1)]
    await expect(clusterVectors(unlike, { minClusterSize: 2 })).rejects.toThrow(RangeError)
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const vectors = [Float32Array.of(1, 0), Float32Array.of(0, wrong)]
      await expect(clusterVectors(vectors, { minClusterSize: 2 })).rejects.toThrow(RangeError)
    }
  })
})

describe("order does not matter", () => {
  const grid = fc.record({ x: fc.integer({ min: 0, max: 12 }), y: fc.integer({ min: 0, max: 12 }) })
  const point = fc.oneof(
    fc.record({
      x: fc.double({ min: 0, max: 12, noNaN: true }),
      y: fc.double({ min: 0, max: 12, noNaN: true }),
    }),
    grid,
  )

  test("shuffled points are in the same clusters, even if many are equal or equally far apart", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(point, { minLength: 2, maxLength: 60 }),
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        fc.integer(),
        async (points, minClusterSize, minSamples, allowSingleCluster, seed) => {
          const options = { minClusterSize, minSamples, allowSingleCluster, pause }
          const vectors = points.map(({ x, y }) => Float32Array.of(x, y))
          const order = shuffled(createSeededRandom(seed), vectors.length)
          const straight = await clusterVectors(vectors, options)
          const mixed = await clusterVectors(
            order.map((place) => vectors[place] ?? new Float32Array(2)),
            options,
          )
          expect(
            isRenamed(
              mixed.labels,
              order.map((place) => straight.labels[place] ?? -1),
            ),
          ).toBe(true)
          for (const [index, place] of order.entries()) {
            expect(mixed.probabilities[index]).toBeCloseTo(straight.probabilities[place] ?? -1, 9)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe("running beside other work", () => {
  const vectors = cloud(createSeededRandom(5), 600, 384)

  test("it pauses again and again", async () => {
    let pauses = 0
    await clusterVectors(vectors, {
      minClusterSize: 5,
      pause: async () => {
        pauses += 1
      },
    })
    // 600 vectors are twice 180,000 distances of 384 numbers, at most 6 million of them at a time.
    expect(pauses).toBeGreaterThanOrEqual(20)
  })

  test("it stops where it is when it is called off", async () => {
    const calledOff = new AbortController()
    let pauses = 0
    const running = clusterVectors(vectors, {
      minClusterSize: 5,
      signal: calledOff.signal,
      pause: async () => {
        pauses += 1
        if (pauses === 5) calledOff.abort(new Error("called off"))
      },
    })
    await expect(running).rejects.toThrow("called off")
    expect(pauses).toBe(5)
  })
})

describe("more vectors than are compared with each other", () => {
  test("the others join the clusters of a sample", async () => {
    const random = createSeededRandom(11)
    const { vectors, topics } = aroundTopics(random, { topics: 8, each: 100, noise: 80 })
    const exact = await clusterVectors(vectors, { minClusterSize: 20 })
    expect(exact.count).toBe(8)
    expect(adjustedRand(exact.labels, topics)).toBeGreaterThan(0.95)
    const sampled = await clusterVectors(vectors, { minClusterSize: 20, exactUpTo: 440 })
    expect(sampled.count).toBe(8)
    expect(adjustedRand(sampled.labels, topics)).toBeGreaterThan(0.95)
    const isInside = (probability: number, place: number) =>
      sampled.labels[place] === -1 ? probability === 0 : probability >= 0 && probability <= 1
    expect(sampled.probabilities.every(isInside)).toBe(true)
  })

  test("the same vectors give the same answer", async () => {
    const { vectors } = aroundTopics(createSeededRandom(12), { topics: 4, each: 50, noise: 20 })
    const options = { minClusterSize: 10, exactUpTo: 110 }
    expect(await clusterVectors(vectors, options)).toEqual(await clusterVectors(vectors, options))
  })
})

describe("distances", () => {
  test("SIMD and plain JavaScript agree to seven digits, whatever the number of dimensions", async () => {
    for (const dimensions of [1, 2, 15, 16, 17, 384]) {
      const vectors = cloud(createSeededRandom(dimensions), 9, dimensions)
      const [simd, plain] = await Promise.all([
        openDistances(vectors, createPace({ pause })),
        openDistances(vectors, createPace({ pause }), { simd: false }),
      ])
      for (const distances of [simd, plain]) distances.others.set([8, 0, 3])
      const found = [...simd.from(3, 3).slice(0, 3)]
      const expected = [...plain.from(3, 3).slice(0, 3)]
      for (const [index, value] of expected.entries()) {
        expect(Math.abs((found[index] ?? -1) - value)).toBeLessThanOrEqual(value * 1e-6)
      }
      expect(found[2]).toBe(0)
    }
  })
})

function cloud(random: Random, size: number, dimensions: number): Float32Array[] {
  return Array.from({ length: size }, () =>
    toUnit(Float32Array.from({ length: dimensions }, () => normal(random))),
  )
}

function aroundTopics(
  random: Random,
  { topics, each, noise }: { topics: number; each: number; noise: number },
) {
  const dimensions = 32
  const centres = cloud(random, topics, dimensions)
  const near = (centre: Float32Array) => toUnit(centre.map((value) => value + 0.05 * normal(random)))
  const members = centres.flatMap((centre, topic) =>
    Array.from({ length: each }, () => ({ topic, vector: near(centre) })),
  )
  const strays = cloud(random, noise, dimensions).map((vector) => ({ topic: -1, vector }))
  const all = [...members, ...strays]
  const mixed = shuffled(random, all.length).flatMap((place) => all[place] ?? [])
  return { vectors: mixed.map(({ vector }) => vector), topics: mixed.map(({ topic }) => topic) }
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function shuffled(random: Random, length: number): number[] {
  const keys = Array.from({ length }, (_, place) => ({ place, key: random.next() }))
  return keys.toSorted((a, b) => a.key - b.key).map(({ place }) => place)
}
