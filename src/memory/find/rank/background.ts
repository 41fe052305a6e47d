import { dot } from "../../../base/dot.ts"

/**
 * What questions and notes of one embedding model have in common, whatever they are about: the middle of many questions, the
 * middle of many notes, and the direction in which all of them differ most, which is mostly their language.
 */
export interface Background {
  question: Float32Array
  note: Float32Array
  common: Float32Array
}

/**
 * How near a note is to a question beyond what any note is to any question, -1 to 1. A plain cosine is high for two texts
 * that only share their language or their tone.
 */
export function closenessOf(background: Background, question: Float32Array, note: Float32Array): number {
  const asked = beyond(question, background.question, background.common)
  const told = beyond(note, background.note, background.common)
  const lengths = Math.sqrt(dot(asked, asked) * dot(told, told))
  return lengths === 0 ? 0 : dot(asked, told) / lengths
}

/** What is left of a vector without the middle of its kind, and without one direction (of unit length). */
function beyond(vector: Float32Array, middle: Float32Array, direction: Float32Array): Float32Array {
  const left = vector.map((value, place) => value - (middle[place] ?? 0))
  const along = dot(left, direction)
  return left.map((value, place) => value - along * (direction[place] ?? 0))
}
