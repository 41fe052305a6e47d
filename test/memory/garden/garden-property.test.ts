import fc from "fast-check"
import { expect, test } from "vitest"
import { relate } from "../../../src/language/compare/relate.ts"
import { createLossBudget } from "../../../src/memory/model/agents/losses.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { describeDatabases, type TestDatabase } from "../../../testkit/setup/databases.ts"
import { graphOf } from "../../../testkit/worlds/memory-world.ts"
import { type GardenWorld, openGardenWorld } from "./world.ts"

// Groups of texts that say the same, that oppose each other, and that only look alike.
const texts = fc.constantFrom(
  "We deploy on Monday",
  "we deploy on monday.",
  "We  deploy on Monday",
  "We deploy on Friday",
  "We do not deploy on Monday",
  "The build takes 10 minutes",
  "The build takes 20 minutes",
  "the build takes 10 minutes",
  "The default branch is main",
  "The default branch is trunk",
  "Tests run with vitest in watch mode",
  "Tests run with vitest in the watch mode",
  "Caroline: I went to the museum",
  "Caroline: I did not go to the museum",
  "Nobody reads the logs of the old server",
)

const told = fc.record({
  text: texts,
  project: fc.constantFrom(undefined, "one"),
  type: fc.constantFrom("fact" as const, "fact" as const, "preference" as const),
  source: fc.constantFrom("extracted" as const, "user-stated" as const, "user-corrected" as const),
  old: fc.integer({ min: 0, max: 9 }),
  tags: fc.subarray(["test", "tests", "deploy"]),
  session: fc.constantFrom(undefined, "s1"),
})
type Told = typeof told extends fc.Arbitrary<infer T> ? T : never

const passes = fc.array(
  fc.record({
    limit: fc.integer({ min: 2, max: 12 }),
    lossLimit: fc.integer({ min: 1, max: 5 }),
    abortAfter: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  }),
  { maxLength: 4 },
)

async function fill(world: GardenWorld, memories: readonly Told[]): Promise<void> {
  for (const [index, { text, project, old, session, ...given }] of memories.entries()) {
    // A tenth is of long ago, and expired.
    const age = old === 0 ? { createdAt: Date.UTC(2020, 0, 1), type: "observation" as const } : {}
    const place = project === undefined ? {} : { project }
    const said = session === undefined ? {} : { sessionId: session, messageIndex: index }
    await world.remember(text, { verbatim: true, ...given, ...place, ...age, ...said })
  }
}

/** Tends until nothing is left, first in small passes that may be called off, then in whole ones. */
async function tend(world: GardenWorld, small: typeof passes extends fc.Arbitrary<infer T> ? T : never) {
  const reports = []
  for (const { limit, lossLimit, abortAfter } of small) {
    const calling = new AbortController()
    let deeds = 0
    const mayAbort = () => {
      if (abortAfter !== undefined && deeds >= abortAfter) calling.abort()
      deeds += 1
    }
    mayAbort()
    const onDeed = async () => mayAbort()
    const report = await world.garden({
      limit,
      losses: createLossBudget(lossLimit),
      signal: calling.signal,
      onChange: onDeed,
    })
    const sum = (pick: (deed: { changed: number; lost: number }) => number) =>
      report.deeds.reduce((total, deed) => total + pick(deed), 0)
    expect(sum(({ changed }) => changed)).toBeLessThanOrEqual(limit)
    expect(sum(({ lost }) => lost)).toBeLessThanOrEqual(lossLimit)
    expect(report.warnings.filter((text) => !text.includes("limit"))).toEqual([])
    reports.push(report)
  }
  for (let rounds = 0; rounds < 5; rounds += 1) {
    const report = await world.garden()
    expect(report.warnings).toEqual([])
    reports.push(report)
    if (report.isDone) return reports
  }
  throw new Error("the garden does not come to an end")
}

/** Everything that was merged says the same as what it was merged into. */
async function expectOnlySameMerged(world: GardenWorld, operations: readonly string[]): Promise<number> {
  let merged = 0
  const { memories } = graphOf(await world.export())
  const texts = new Map(memories.map(({ id, content }) => [id, content]))
  for (const operation of operations) {
    for (const { data } of await readJournal(world.db, { operation, kind: "memory.superseded" })) {
      const { after } = data as { after: { content: string; supersededBy: string } }
      expect(relate(texts.get(after.supersededBy) ?? "", after.content).kind).toBe("same")
      merged += 1
    }
  }
  return merged
}

describeDatabases("The garden, whatever grows in it", (create) => {
  test("merges no opposites, keeps its caps, ends, and can be taken back", { timeout: 240_000 }, async () => {
    const seen = { merged: 0, names: new Set<string>() }
    const grown = fc.array(told, { minLength: 2, maxLength: 14 })
    const property = fc.asyncProperty(grown, passes, async (memories, small) => {
      const [world, other] = await Promise.all([openOne(create), openOne(create)])
      await fill(world, memories)
      await fill(other, memories)
      const before = graphOf(await world.export())
      const reports = await tend(world, small)
      const deeds = reports.flatMap((report) => report.deeds)
      const merges = deeds.filter(({ name }) => name === "duplicates merged")
      seen.merged += await expectOnlySameMerged(
        world,
        merges.map(({ operation }) => operation),
      )
      for (const { name } of deeds) seen.names.add(name)
      const tended = graphOf(await world.export())
      expect((await world.garden()).deeds).toEqual([])
      expect(graphOf(await world.export())).toEqual(tended)
      await tend(other, [])
      expect(await world.active()).toEqual(await other.active())
      for (const report of reports.toReversed()) await world.takeBack(report)
      expect(graphOf(await world.export())).toEqual(before)
      expect((await world.garden()).deeds.filter(({ lost }) => lost > 0)).toEqual([])
    })
    await fc.assert(property, { numRuns: 20, seed: 20261115 })
    expect(seen.merged).toBeGreaterThan(10)
    const names = ["archived as expired", "conflicts linked", "contradicted replaced", "duplicates merged"]
    expect([...seen.names].sort()).toEqual([...names, "related linked", "tags tidied"])
  })
})

async function openOne(create: () => Promise<TestDatabase>): Promise<GardenWorld> {
  return openGardenWorld(await create())
}
