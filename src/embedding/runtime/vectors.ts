/** Scales a vector to unit length in place; a zero vector stays as it is. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  if (sum === 0) return vector
  const scale = 1 / Math.sqrt(sum)
  for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] ?? 0) * scale
  return vector
}

/** The mean of the rows of a matrix, at unit length. There is no padding. */
export function meanOf(matrix: Float32Array, rows: number): Float32Array {
  const dimensions = matrix.length / rows
  const mean = new Float32Array(dimensions)
  for (let index = 0; index < matrix.length; index += 1) {
    mean[index % dimensions] = (mean[index % dimensions] ?? 0) + (matrix[index] ?? 0)
  }
  return normalize(mean)
}

export function addWeighted(sum: Float32Array, vector: Float32Array, weight: number): void {
  for (let index = 0; index < sum.length; index += 1) {
    sum[index] = (sum[index] ?? 0) + (vector[index] ?? 0) * weight
  }
}
