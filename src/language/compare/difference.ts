import type { Token } from "../read/token.ts"
import type { Step } from "./align.ts"
import type { Opposition } from "./relation.ts"

/** Two tokens that exclude each other, and their position among the steps. */
export interface Opposed {
  a: Token
  b: Token
  by: Opposition["by"]
  at: number
}

/** The differences of two aligned sentences. */
export interface Difference {
  steps: readonly Step[]
  /** The number of equal words with a meaning. */
  shared: number
  opposed: Opposed[]
  /** Pairs of a general and a special word, or of possibly equal ones. */
  near: number
  /** Pairs that distinguish subjects, like staging and production. */
  scopes: number
  /** Unknown pairs, except of link words. */
  replaced: number
  /** Words with a meaning that only one side has. */
  extra: number
}

export function differenceOf(steps: readonly Step[]): Difference {
  const difference: Difference = { steps, shared: 0, opposed: [], near: 0, scopes: 0, replaced: 0, extra: 0 }
  for (const [at, step] of steps.entries()) {
    if (step.a !== undefined && step.b !== undefined) addPair(difference, step, at)
    else if (!(step.a ?? step.b).link) difference.extra += 1
  }
  return difference
}

function addPair(
  difference: Difference,
  { a, b, match }: Extract<Step, { match: unknown }>,
  at: number,
): void {
  switch (match.is) {
    case "equal":
      if (!a.link) difference.shared += 1
      break
    case "opposed":
      difference.opposed.push({ a, b, by: match.by, at })
      break
    case "near":
      difference.near += 1
      break
    case "scope":
      difference.scopes += 1
      break
    case "other":
      if (!a.link || !b.link) difference.replaced += 1
  }
}
