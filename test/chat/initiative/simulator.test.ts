import { describe, expect, test } from "vitest"
import { isOfMedia, type ThoughtFault, thoughtFaults } from "../../../testkit/chat/thoughts/faults.ts"
import { simulateThoughts } from "../../../testkit/chat/thoughts/simulate.ts"
import type { ThoughtInvariant } from "../../../testkit/chat/thoughts/watch.ts"
import { sqliteDatabase } from "../../../testkit/setup/databases.ts"

test("350 random lives of four communities break no invariant", async () => {
  const broken: string[] = []
  const sums = { posts: 0, held: 0, restarts: 0 }
  for (let seed = 1; seed <= 350; seed += 1) {
    const { violations, posts, held, restarts } = await simulateThoughts(seed)
    sums.posts += posts
    sums.held += held
    sums.restarts += restarts
    broken.push(...violations.map(({ invariant, what }) => `seed ${seed}: ${invariant}: ${what}`))
  }
  expect(broken.slice(0, 5)).toEqual([])
  // Much happened in them.
  for (const sum of Object.values(sums)) expect(sum).toBeGreaterThan(250)
}, 120_000)

test("120 random lives with media, and with stores that fail for one community only, break no invariant", async () => {
  const budgets = await sqliteDatabase().open()
  const broken: string[] = []
  const sums = { asked: 0, refused: 0 }
  for (let seed = 1; seed <= 120; seed += 1) {
    const { violations, media } = await simulateThoughts(seed, { media: budgets })
    sums.asked += media.asked
    sums.refused += media.refused
    broken.push(...violations.map(({ invariant, what }) => `seed ${seed}: ${invariant}: ${what}`))
  }
  expect(broken.slice(0, 5)).toEqual([])
  for (const sum of Object.values(sums)) expect(sum).toBeGreaterThan(40)
}, 120_000)

/** Lives in which the program once did wrong, or was once taken to. */
const replayed = [
  ["a held thought is said within a gap that became longer", 209_146],
  ["quiet hours begin while a slow disk stores other communities", 215_302],
  ["a community loses its channels while it waits for its turn", 407_039],
  ["a slow disk stores the end of a thought of whoever has its turn", 3_003_656],
  ["a look begins late since three others had their turn before", 8_009_166],
  ["the clock is set back in a back-off, and the failure after it is never stored", 714_456],
] as const

test.each(replayed)("a life in which %s is lived right", async (_, seed) => {
  expect((await simulateThoughts(seed)).violations).toEqual([])
})

test("the same seed gives the same life, with media too", async () => {
  const budgets = await sqliteDatabase().open()
  for (const media of [undefined, budgets])
    expect(await simulateThoughts(77, { media })).toEqual(await simulateThoughts(77, { media }))
})

/** Faults that few lives show, and the first that does: it is lived first, then all others. */
const shownIn: Partial<Record<ThoughtFault, number>> = {
  "says again what was on its way": 562,
  "forgets at a restart what was being made": 184,
  "takes what may have left for kept back": 135,
  "interrupts an exchange": 119,
  "begins subjects anywhere": 112,
  "gives answers and thoughts a media budget each": 110,
  "keeps what nothing came of from the media budget": 78,
  "counts media only when they are there": 76,
  "knows no daylight saving": 71,
}

describe("a planted fault is found", () => {
  const faults = Object.entries(thoughtFaults) as [ThoughtFault, ThoughtInvariant][]
  test.each(faults)(
    "it %s",
    async (fault, invariant) => {
      const found = new Set<ThoughtInvariant>()
      const media = isOfMedia(fault) ? await sqliteDatabase().open() : undefined
      for (let tried = 0; tried <= 2000 && !found.has(invariant); tried += 1) {
        const seed = tried === 0 ? (shownIn[fault] ?? 1) : tried
        for (const one of (await simulateThoughts(seed, { fault, media })).violations)
          found.add(one.invariant)
      }
      expect([...found]).toContain(invariant)
    },
    120_000,
  )
})
