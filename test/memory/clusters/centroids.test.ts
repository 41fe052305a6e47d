import { describe, expect, test } from "vitest"
import { assign, centroids, radii } from "../../../src/memory/topics/clustering/centroids.ts"
import type { Clustering } from "../../../src/memory/topics/clustering/hdbscan.ts"

const degrees = (angle: number) =>
  Float32Array.of(Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180))

const chord = (angle: number) => 2 * Math.sin((angle * Math.PI) / 360)

function labelled(labels: number[], count: number): Clustering {
  return { labels: Int32Array.from(labels), probabilities: new Float64Array(labels.length).fill(1), count }
}

const vectors = [80, 0, 10, 20, 90, 100, 200].map(degrees)
const clustering = labelled([1, 0, 0, 0, 1, 1, -1], 2)

describe("centroids", () => {
  test("are the middle of the members at unit length, without the noise", () => {
    const [first, second] = centroids(vectors, clustering)
    expect(first?.[0]).toBeCloseTo(Math.cos(Math.PI / 18), 6)
    expect(first?.[1]).toBeCloseTo(Math.sin(Math.PI / 18), 6)
    expect(second?.[0]).toBeCloseTo(0, 6)
    expect(second?.[1]).toBeCloseTo(1, 6)
  })

  test("of opposites have no direction, and nothing is near them", () => {
    const opposites = [Float32Array.of(1, 0), Float32Array.of(-1, 0)]
    const middles = centroids(opposites, labelled([0, 0], 1))
    expect(middles).toEqual([Float32Array.of(0, 0)])
    const centroid = middles[0] ?? new Float32Array(2)
    expect(assign(Float32Array.of(1, 0), [{ id: "a", centroid, radius: 1 }])).toBeUndefined()
  })

  test("no clusters, no centroids", () => {
    expect(centroids(vectors, labelled([-1, -1, -1, -1, -1, -1, -1], 0))).toEqual([])
    expect(radii(vectors, labelled([-1, -1, -1, -1, -1, -1, -1], 0), [])).toEqual([])
  })
})

describe("a cluster's radius", () => {
  test("is how far its outermost member lies from the middle of the others", () => {
    // Of 0, 10 and 20 degrees the outer ones are 15 degrees from the middle of the two others.
    const [first] = radii(vectors, clustering, centroids(vectors, clustering))
    expect(first).toBeCloseTo(chord(15), 5)
  })

  test("of one member, or of equal ones, is nothing", () => {
    const same = [degrees(30), degrees(60), degrees(60), degrees(60)]
    const ones = labelled([0, 1, 1, 1], 2)
    for (const radius of radii(same, ones, centroids(same, ones))) expect(radius).toBeCloseTo(0, 3)
  })
})

describe("a new vector", () => {
  const clusters = [
    { id: "east", centroid: degrees(10), radius: chord(15) },
    { id: "north", centroid: degrees(90), radius: chord(15) },
  ]

  test("joins the nearest cluster if it is within its radius", () => {
    const joined = assign(degrees(24), clusters)
    expect(joined?.id).toBe("east")
    expect(joined?.similarity).toBeCloseTo(Math.cos((14 * Math.PI) / 180), 6)
    expect(assign(degrees(78), clusters)?.id).toBe("north")
  })

  test("joins none when it is farther away, or there is none", () => {
    expect(assign(degrees(26), clusters)).toBeUndefined()
    expect(assign(degrees(50), clusters)).toBeUndefined()
    expect(assign(degrees(10), [])).toBeUndefined()
  })

  test("of another length cannot be placed", () => {
    expect(() => assign(Float32Array.of(1, 0, 0), clusters)).toThrow(RangeError)
  })
})
