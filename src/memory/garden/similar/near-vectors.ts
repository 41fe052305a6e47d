import { quantize } from "../../../storage/sqlite/vector-scan.ts"
import { createSketches } from "./sketches.ts"

/** A row that is near another. */
interface Near {
  row: number
  /** The cosine, accurate to some thousandths. */
  score: number
}

/** The vectors of one scope by row number, in one byte per dimension. */
export interface NearVectors {
  put(row: number, vector: Float32Array): void
  /** Call it once, after the last `put`. */
  seal(): void
  /** Undefined where one of them has no vector. */
  cosine(a: number, b: number): number | undefined
  /** The rows with at least this cosine, in no order. In large scopes it misses some, fewer the nearer they are. */
  near(row: number, least: number): Near[]
}

/** Up to this many rows, all are compared. */
const comparedAll = 1500

export function createNearVectors(rows: number, dimensions: number): NearVectors {
  const codes = new Int8Array(rows * dimensions)
  const scales = new Float32Array(rows)
  const sketches = rows > comparedAll ? createSketches(rows, dimensions) : undefined
  const all = Array.from({ length: sketches ? 0 : rows }, (_, row) => row)

  function dot(a: number, b: number): number {
    const [x, y] = [a * dimensions, b * dimensions]
    let sum = 0
    for (let index = 0; index < dimensions; index += 1)
      sum += (codes[x + index] ?? 0) * (codes[y + index] ?? 0)
    return sum * (scales[a] ?? 0) * (scales[b] ?? 0)
  }
  return {
    put(row, vector) {
      const quantized = quantize(vector)
      codes.set(quantized.codes, row * dimensions)
      scales[row] = quantized.scale
      sketches?.put(row, vector)
    },
    seal: () => sketches?.seal(),
    cosine: (a, b) => (scales[a] === 0 || scales[b] === 0 ? undefined : dot(a, b)),
    near(row, least) {
      if (scales[row] === 0) return []
      const found: Near[] = []
      for (const other of sketches?.likely(row) ?? all) {
        const score = other === row ? 0 : dot(row, other)
        if (score >= least) found.push({ row: other, score })
      }
      return found
    },
  }
}
