import { existsSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { clusterVectors } from "../../../src/memory/topics/clustering/cluster.ts"
import { isRenamed } from "../../../testkit/labellings.ts"

interface Reference {
  name: string
  points: number[][]
  runs: Run[]
}
interface Run {
  minClusterSize: number
  minSamples: number
  allowSingleCluster: boolean
  labels: number[]
  probabilities: number[]
}

const fixture = new URL("../../fixtures/hdbscan.json", import.meta.url)
const references = JSON.parse(readFileSync(fixture, "utf8")) as Reference[]

describe("clusters are those of scikit-learn", () => {
  const cases = references.flatMap(({ name, points, runs }) => runs.map((run) => ({ name, points, run })))
  test.each(cases)(
    "$name, at least $run.minClusterSize, $run.minSamples samples, single $run.allowSingleCluster",
    async ({ points, run }) => {
      const found = await clusterVectors(
        points.map((point) => Float32Array.from(point)),
        run,
      )
      expect(isRenamed(found.labels, run.labels)).toBe(true)
      expect(found.count).toBe(Math.max(...run.labels) + 1)
      expect(largestDifference(found.probabilities, run.probabilities)).toBeLessThan(1e-6)
    },
  )
})

const data = new URL("../../../../shared/data/hdbscan/", import.meta.url)

describe.runIf(existsSync(data))("clusters of embeddings are those of scikit-learn", () => {
  test.each(["iris", "t1000", "t2000"])("%s", async (name) => {
    const { X, labels, probs, mcs, ms } = JSON.parse(readFileSync(new URL("ref.json", data), "utf8"))[name]
    const vectors = X
      ? X.map((row: number[]) => Float32Array.from(row))
      : readRows(new URL(`${name}.f32`, data))
    const found = await clusterVectors(vectors, { minClusterSize: mcs, minSamples: ms })
    expect(isRenamed(found.labels, labels)).toBe(true)
    // These were written down with four digits.
    expect(largestDifference(found.probabilities, probs)).toBeLessThan(0.5e-4 + 1e-6)
  })
})

function readRows(file: URL): Float32Array[] {
  const { buffer, byteOffset, byteLength } = readFileSync(file)
  const numbers = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
  return Array.from({ length: numbers.length / 384 }, (_, row) => numbers.slice(row * 384, (row + 1) * 384))
}

function largestDifference(a: Float64Array, b: readonly number[]): number {
  return a.reduce((largest, value, index) => Math.max(largest, Math.abs(value - (b[index] ?? Number.NaN))), 0)
}
