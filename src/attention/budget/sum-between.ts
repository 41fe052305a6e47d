import type { Use } from "./view.ts"

/**
 * Sums of what was used after one moment, up to another. To be asked in the order of time, so that what is past is not
 * read again.
 */
export function createSum(uses: readonly Use[]): (after: number, upTo: number) => number {
  let first = 0
  return (after, upTo) => {
    for (let use = uses[first]; use !== undefined && use.at <= after; use = uses[first]) first += 1
    let sum = 0
    for (let index = first; index < uses.length; index += 1) {
      const use = uses[index]
      if (use === undefined || !(use.at <= upTo)) break
      if (use.amount > 0 && Number.isFinite(use.amount)) sum += use.amount
    }
    return sum
  }
}
