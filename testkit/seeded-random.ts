import type { Random } from "../src/base/random.ts"

/** Randomness that is the same for the same seed (mulberry32). */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) }
}
