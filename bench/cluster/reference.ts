import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { dimensions } from "../shared/made-up-vectors.ts"

/** Vectors with what scikit-learn finds in them; probabilities have four digits. */
export interface ReferenceSet {
  name: string
  vectors: Float32Array[]
  labels: number[]
  probabilities: number[]
  minClusterSize: number
  minSamples: number
}

interface Written {
  X: number[][] | null
  labels: number[]
  probs: number[]
  mcs: number
  ms: number
}

/** The sets of a folder whose vectors are there. */
export function readReferences(folder: string): ReferenceSet[] {
  const written = JSON.parse(readFileSync(join(folder, "ref.json"), "utf8")) as Record<string, Written>
  return Object.entries(written).flatMap(([name, { X, labels, probs, mcs, ms }]) => {
    const vectors = X?.map((row) => Float32Array.from(row)) ?? readRows(join(folder, `${name}.f32`))
    if (vectors === undefined) return []
    return [{ name, vectors, labels, probabilities: probs, minClusterSize: mcs, minSamples: ms }]
  })
}

function readRows(file: string): Float32Array[] | undefined {
  if (!existsSync(file)) return undefined
  const { buffer, byteOffset, byteLength } = readFileSync(file)
  const numbers = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
  return Array.from({ length: numbers.length / dimensions }, (_, row) =>
    numbers.slice(row * dimensions, (row + 1) * dimensions),
  )
}
