import { describe, expect, test } from "vitest"
import { simulate } from "../../testkit/chat/simulate.ts"
import { type Fault, faults } from "../../testkit/chat/simulation/faults.ts"
import type { Invariant } from "../../testkit/chat/simulation/watch.ts"

/** Which invariant each planted fault breaks. */
const breaks: Record<Fault, Invariant> = {
  "posts twice": "at most one post per epoch",
  "ignores the gate": "no post after a newer mention",
  "lets the sentinel out": "no sentinel or error outbound",
  "forgets the cap": "caps never exceeded",
  "loses messages": "no message lost without a journal entry",
  "takes mentions for chatter": "direct mentions answered first",
  "never times out": "every run ends",
}

test("2,000 random lives of three rooms break no invariant", async () => {
  const broken: string[] = []
  let posts = 0
  for (let seed = 1; seed <= 2000; seed += 1) {
    const simulated = await simulate(seed)
    posts += simulated.posts
    broken.push(...simulated.violations.map(({ invariant, what }) => `seed ${seed}: ${invariant}: ${what}`))
  }
  expect(broken.slice(0, 5)).toEqual([])
  expect(posts).toBeGreaterThan(1000)
}, 120_000)

test("the same seed gives the same life", async () => {
  expect(await simulate(77)).toEqual(await simulate(77))
})

describe("a planted fault is found", () => {
  test.each([...faults])("it %s", async (fault) => {
    const found = new Set<Invariant>()
    for (let seed = 1; seed <= 400 && !found.has(breaks[fault]); seed += 1) {
      for (const { invariant } of (await simulate(seed, { fault })).violations) found.add(invariant)
    }
    expect([...found]).toContain(breaks[fault])
  })
})
