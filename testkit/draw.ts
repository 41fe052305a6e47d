import type { Random } from "../src/base/random.ts"

export const lower = "abcdefghijklmnopqrstuvwxyz"
export const upper = lower.toUpperCase()
export const digits = "0123456789"
export const letters = lower + upper
export const base62 = letters + digits
export const base64 = `${base62}+/`
export const base64url = `${base62}-_`
export const hex = `${digits}abcdef`

/** Draws texts and choices. */
export function createDraw(random: Random) {
  const pick = <T>(choices: readonly T[]): T => {
    const chosen = choices[Math.floor(random.next() * choices.length)]
    if (chosen === undefined) throw new RangeError("there is nothing to choose from")
    return chosen
  }
  const text = (alphabet: string, length: number) =>
    Array.from({ length }, () => pick(Array.from(alphabet))).join("")
  const number = (from: number, to: number) => from + Math.floor(random.next() * (to - from + 1))
  return { pick, text, number }
}

export type Draw = ReturnType<typeof createDraw>
