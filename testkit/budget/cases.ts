import { people } from "./people.ts"
import { plans } from "./plans.ts"
import type { Case } from "./simulate.ts"

/** Every kind of user with every plan, known and unknown, as many times as there are seeds. */
export function allCases(seeds: number): Case[] {
  return people.flatMap((person) =>
    plans.flatMap((plan) =>
      [false, true].flatMap((isCold) =>
        Array.from({ length: seeds }, (_, index) => ({ person, plan, isCold, seed: index + 1 })),
      ),
    ),
  )
}
