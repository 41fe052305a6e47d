import type { Memory } from "../memory.ts"
import { termsOf } from "../terms.ts"

/** Memories that share this much of their words say the same. */
const repeated = 0.9

/** Whether one memory only repeats another: nearly the same words, the same numbers among them. */
export function isRepetition(a: Memory, b: Memory): boolean {
  if (Math.abs(a.content.length - b.content.length) > 0.25 * Math.max(a.content.length, b.content.length)) {
    return false
  }
  const one = new Set(termsOf(a.content))
  const other = new Set(termsOf(b.content))
  if (one.size < 3) return false
  let shared = 0
  for (const term of one) if (other.has(term)) shared += 1
  const isAlike = shared / (one.size + other.size - shared) >= repeated
  return isAlike && numbersIn(a.content) === numbersIn(b.content)
}

function numbersIn(text: string): string {
  return (text.match(/\d+/g) ?? []).join(" ")
}
