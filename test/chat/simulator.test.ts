import { describe, expect, test } from "vitest"
import { simulate } from "../../testkit/chat/simulate.ts"
import { type Fault, faults } from "../../testkit/chat/simulation/faults.ts"
import type { Invariant } from "../../testkit/chat/simulation/watch.ts"
import { createSqlStore } from "../../testkit/chat/sql-store.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"

/** Which invariant each planted fault breaks. */
const breaks: Record<Fault, Invariant> = {
  "posts twice": "at most one post per epoch",
  "ignores the gate": "no post after a newer mention",
  "lets the sentinel out": "no sentinel or error outbound",
  "forgets the cap": "caps never exceeded",
  "loses messages": "no message lost without a journal entry",
  "stores late": "no message lost without a journal entry",
  "takes mentions for chatter": "direct mentions answered first",
  "never times out": "every run ends",
  "says again what may have left": "no mention answered twice",
  "goes on typing": "no typing sign outlives its run",
  "speaks unasked anywhere": "speaks unasked only where it may",
  "hears blocked people": "nothing of blocked people is shown",
  "mixes rooms": "nothing of another room is shown",
}

test("800 random lives of five rooms break no invariant", async () => {
  const broken: string[] = []
  const platforms = new Set<string>()
  let posts = 0
  for (let seed = 1; seed <= 800; seed += 1) {
    const simulated = await simulate(seed)
    posts += simulated.posts
    platforms.add(simulated.remembers)
    broken.push(...simulated.violations.map(({ invariant, what }) => `seed ${seed}: ${invariant}: ${what}`))
  }
  expect(broken.slice(0, 5)).toEqual([])
  expect(posts).toBeGreaterThan(500)
  expect(platforms).toEqual(new Set(["all", "little", "nothing"]))
}, 120_000)

test.each([35_697, 38_589, 48_652, 49_077, 204_685, 209_834, 212_562])(
  "life %i, which broke an invariant once, breaks none",
  async (seed) => {
    expect((await simulate(seed)).violations).toEqual([])
  },
)

describeDatabases("A simulated room", (create) => {
  test("random lives break no invariant", async () => {
    const random = createSeededRandom(1)
    const db = await (await create()).open()
    const store = createSqlStore(db, random)
    const lives = db.kind === "sqlite" ? 120 : 60
    const broken: string[] = []
    for (let seed = 1; seed <= lives; seed += 1) {
      const { violations } = await simulate(seed, { store })
      broken.push(...violations.map(({ invariant, what }) => `seed ${seed}: ${invariant}: ${what}`))
    }
    expect(broken.slice(0, 5)).toEqual([])
  }, 120_000)
})

test("the same seed gives the same life", async () => {
  expect(await simulate(77)).toEqual(await simulate(77))
})

describe("a planted fault is found", () => {
  test.each([...faults])("it %s", async (fault) => {
    const found = new Set<Invariant>()
    for (let seed = 1; seed <= 1000 && !found.has(breaks[fault]); seed += 1) {
      for (const { invariant } of (await simulate(seed, { fault })).violations) found.add(invariant)
    }
    expect([...found]).toContain(breaks[fault])
  })
})
