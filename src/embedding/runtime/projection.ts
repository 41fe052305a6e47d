import { normalize } from "./vectors.ts"

/** The directions in which word pieces of one model differ most. */
export interface StoredProjection {
  /** The length of a vector before and after. */
  from: number
  to: number
  /** `from` rows of `to` 16-bit integers (little-endian, base64); 32767 stands for 1. */
  codes: string
}

/** Shortens the vectors of word pieces so that their cosines stay nearly the same. */
export interface Projection {
  readonly dimensions: number
  /** Writes the short vector as integers from an offset on. */
  project(vector: Float32Array, codes: Int8Array, offset: number): void
}

export function openProjection({ from, to, codes: text }: StoredProjection): Projection {
  const bytes = Buffer.from(text, "base64")
  if (bytes.length !== from * to * 2) throw new Error("the projection does not have the size it says")
  const matrix = Float32Array.from({ length: from * to }, (_, at) => bytes.readInt16LE(at * 2) / 32_767)
  const short = new Float32Array(to)
  return {
    dimensions: to,
    project(vector, codes, offset) {
      short.fill(0)
      for (let row = 0; row < from; row += 1) {
        const value = vector[row] ?? 0
        const begin = row * to
        for (let column = 0; column < to; column += 1) {
          short[column] = (short[column] ?? 0) + value * (matrix[begin + column] ?? 0)
        }
      }
      normalize(short)
      for (let column = 0; column < to; column += 1) {
        codes[offset + column] = Math.round((short[column] ?? 0) * 127)
      }
    },
  }
}
