import type { Use } from "./view.ts"

/** Returns a function that sums the use after one time, up to another. Call it with ascending times. */
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
