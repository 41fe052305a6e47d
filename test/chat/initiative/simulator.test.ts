import { describe, expect, test } from "vitest"
import { type ThoughtFault, thoughtFaults } from "../../../testkit/chat/thoughts/faults.ts"
import { simulateThoughts } from "../../../testkit/chat/thoughts/simulate.ts"
import type { ThoughtInvariant } from "../../../testkit/chat/thoughts/watch.ts"

test("600 random lives of four communities break no invariant", async () => {
  const broken: string[] = []
  const sums = { posts: 0, held: 0, restarts: 0 }
  for (let seed = 1; seed <= 600; seed += 1) {
    const { violations, posts, held, restarts } = await simulateThoughts(seed)
    sums.posts += posts
    sums.held += held
    sums.restarts += restarts
    broken.push(...violations.map(({ invariant, what }) => `seed ${seed}: ${invariant}: ${what}`))
  }
  expect(broken.slice(0, 5)).toEqual([])
  // Much happened in them.
  for (const sum of Object.values(sums)) expect(sum).toBeGreaterThan(500)
}, 120_000)

/** Lives in which the program once did wrong. */
const replayed = [
  ["a held thought is said within a gap that became longer", 209_146],
  ["quiet hours begin while a slow disk stores other communities", 215_302],
] as const

test.each(replayed)("a life in which %s is lived right", async (_, seed) => {
  expect((await simulateThoughts(seed)).violations).toEqual([])
})

test("the same seed gives the same life", async () => {
  expect(await simulateThoughts(77)).toEqual(await simulateThoughts(77))
})

describe("a planted fault is found", () => {
  const faults = Object.entries(thoughtFaults) as [ThoughtFault, ThoughtInvariant][]
  test.each(faults)(
    "it %s",
    async (fault, invariant) => {
      const found = new Set<ThoughtInvariant>()
      for (let seed = 1; seed <= 2000 && !found.has(invariant); seed += 1)
        for (const one of (await simulateThoughts(seed, fault)).violations) found.add(one.invariant)
      expect([...found]).toContain(invariant)
    },
    120_000,
  )
})
