import { normalize } from "./vectors.ts"

/** The directions in which word pieces of one model differ most, as they are kept in the code. */
export interface StoredProjection {
  /** Length of a vector before and after. */
  from: number
  to: number
  /** `from` rows of `to` whole numbers of 16 bits (little-endian, base64); 32767 stands for 1. */
  codes: string
}

/** Makes a word piece's vector short enough to keep, so that cosines between pieces stay nearly the same. */
export interface Projection {
  readonly dimensions: number
  /** Writes the short vector's whole numbers from an offset on. */
  project(vector: Float32Array, codes: Int8Array, offset: number): void
}

/** Unpacks a stored projection. */
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
