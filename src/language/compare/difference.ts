import type { Token } from "../read/token.ts"
import type { Step } from "./align.ts"
import type { Opposition } from "./relation.ts"

/** Two tokens that exclude each other, and where they stand in the row of steps. */
export interface Opposed {
  a: Token
  b: Token
  by: Opposition["by"]
  at: number
}

/** What is left when two sentences are laid side by side. */
export interface Difference {
  steps: readonly Step[]
  /** How many words with a meaning are the same on both sides. */
  shared: number
  opposed: Opposed[]
  /** Pairs of which one is more general than the other, or that may be the same. */
  near: number
  /** Pairs that tell two subjects apart, like staging and production. */
  scopes: number
  /** Pairs of which nothing is known. */
  replaced: number
  onlyInA: Token[]
  onlyInB: Token[]
  /** Differences in the words that hold the sentences together. */
  links: number
}

/** Sums the steps up. */
export function differenceOf(steps: readonly Step[]): Difference {
  const difference: Difference = {
    steps,
    shared: 0,
    opposed: [],
    near: 0,
    scopes: 0,
    replaced: 0,
    onlyInA: [],
    onlyInB: [],
    links: 0,
  }
  for (const [at, step] of steps.entries()) addStep(difference, step, at)
  return difference
}

function addStep(difference: Difference, step: Step, at: number): void {
  if (step.a === undefined) addGap(difference, step.b, difference.onlyInB)
  else if (step.b === undefined) addGap(difference, step.a, difference.onlyInA)
  else addPair(difference, step, at)
}

function addGap(difference: Difference, token: Token, gaps: Token[]): void {
  if (token.link) difference.links += 1
  else gaps.push(token)
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
      if (a.link && b.link) difference.links += 1
      else difference.replaced += 1
  }
}
