import fc from "fast-check"
import { expect, test } from "vitest"
import { describeDatabases } from "../support/databases.ts"
import { graphOf, type MemoryWorld, openMemoryWorld } from "../support/memory-world.ts"

const texts = fc.constantFrom("alpha", "beta", "gamma", "delta")
const projects = fc.constantFrom(undefined, "one", "two")
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant("add" as const), text: texts, project: projects }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("undo" as const) }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Takes the steps, then undoes all that still stands; after each undo the graph is as it was before. */
async function goThere(world: MemoryWorld, steps: Step[]): Promise<void> {
  const past = [graphOf(await world.export())]
  const goBack = async () => {
    if (past.length === 1) return
    await world.undo()
    past.pop()
    expect(graphOf(await world.export())).toEqual(past.at(-1))
  }
  for (const one of steps) {
    if (one.act === "undo") await goBack()
    else {
      await world.remember(one.text, one.project === undefined ? {} : { project: one.project })
      past.push(graphOf(await world.export()))
    }
  }
  while (past.length > 1) await goBack()
}

describeDatabases("Undo after any sequence", (create) => {
  test("goes back through exactly the graphs that were there before", async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 12 })
    const property = fc.asyncProperty(steps, async (taken) =>
      goThere(await openMemoryWorld(await create()), taken),
    )
    await fc.assert(property, { numRuns: 15 })
  })
})
