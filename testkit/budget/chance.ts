import type { Random } from "../../src/base/random.ts"

/** A normally distributed number. */
export function normal(random: Random, mean: number, spread: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()))
  return mean + spread * radius * Math.cos(2 * Math.PI * random.next())
}

/** A positive number around one, now and then far above: its mean is one. */
export function skewed(random: Random, spread: number): number {
  return Math.exp(normal(random, -(spread ** 2) / 2, spread))
}

export function between(random: Random, least: number, most: number): number {
  return least + (most - least) * random.next()
}
