import fc from "fast-check"
import { expect, test } from "vitest"
import { UserError } from "../../src/base/errors.ts"
import { conflictChoices, ratings, userEdgeKinds } from "../../src/memory/model/kinds.ts"
import { resolveConflict } from "../../src/memory/write/change/conflicts.ts"
import { editMemory } from "../../src/memory/write/change/edit.ts"
import { pruneExpired } from "../../src/memory/write/change/fading.ts"
import { forget, restore } from "../../src/memory/write/change/forget-restore.ts"
import { linkMemories, unlinkMemories } from "../../src/memory/write/change/link.ts"
import type { ChangeResult } from "../../src/memory/write/change/operation.ts"
import { rateMemory } from "../../src/memory/write/change/rate.ts"
import { tagMemories } from "../../src/memory/write/change/tag.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { graphOf, type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

// The last two oppose each other: telling one replaces the other, in the same operation.
const texts = fc.constantFrom("alpha", "beta", "gamma", "The port is 8080", "The port is 9090")
const projects = fc.constantFrom(undefined, "one", "two")
const tags = fc.subarray(["red", "green", "blue"])
/** Which of the memories there are is meant, counted round. */
const which = fc.nat(7)

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant("add" as const),
      text: texts,
      project: projects,
      old: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("undo" as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("edit" as const), which, text: texts, tags }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("forget" as const), which }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("restore" as const), which }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("tag" as const), which, add: tags, remove: tags }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant("link" as const),
      which,
      other: which,
      kind: fc.constantFrom(...userEdgeKinds, "contradicts" as const),
      weight: fc.constantFrom(0.5, 1),
      remove: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant("rate" as const), which, rating: fc.constantFrom(...ratings) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("prune" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant("resolve" as const),
      which,
      keep: fc.constantFrom(...conflictChoices),
    }),
  },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Takes one step; false if there was nothing to change. */
async function take(
  world: MemoryWorld,
  step: Exclude<Step, { act: "undo" }>,
  seen: Set<string>,
): Promise<boolean> {
  if (step.act === "add") {
    const place = step.project === undefined ? {} : { project: step.project }
    // An observation of long ago is expired at once.
    const age = step.old ? { createdAt: Date.UTC(2020, 0, 1), type: "observation" as const } : {}
    const { outcome } = await world.remember(step.text, { ...place, ...age })
    seen.add(outcome)
    return true
  }
  const { memories, edges } = graphOf(await world.export())
  const opposed = edges.filter(({ kind }) => kind === "contradicts").map(({ source }) => source)
  const ids = step.act === "resolve" && opposed.length > 0 ? opposed : memories.map(({ id }) => id)
  const idAt = (index: number) => ids[index % ids.length] ?? ""
  if (ids.length === 0) return false
  try {
    const changed = await world.act((needs, by) => change(needs, by, step, idAt))
    return "memories" in changed && changed.memories.length + changed.edges.length > 0
  } catch (error) {
    if (error instanceof UserError) return false
    throw error
  }
}

type Needs = Parameters<typeof editMemory>[0]
type By = Parameters<typeof forget>[2]

function change(
  needs: Needs,
  by: By,
  step: Exclude<Step, { act: "undo" | "add" }>,
  idAt: (index: number) => string,
): Promise<ChangeResult | { outcome: "refused" }> {
  switch (step.act) {
    case "edit":
      return editMemory(needs, idAt(step.which), { content: step.text, tags: step.tags }, by)
    case "forget":
      return forget(needs, [idAt(step.which), idAt(step.which + 1)], by)
    case "restore":
      return restore(needs, [idAt(step.which), idAt(step.which + 1)], by)
    case "tag":
      return tagMemories(needs, { ids: [idAt(step.which)], add: step.add, remove: step.remove }, by)
    case "link": {
      const { kind, weight } = step
      const link = { source: idAt(step.which), kind, target: idAt(step.other), weight }
      return step.remove ? unlinkMemories(needs, link, by) : linkMemories(needs, link, by)
    }
    case "rate":
      return rateMemory(needs, idAt(step.which), step.rating, by)
    case "prune":
      return pruneExpired(needs, { limit: 3 }, by)
    case "resolve":
      return resolveConflict(needs, { id: idAt(step.which), keep: step.keep }, by)
  }
}

/** Three memories to begin with, one of them expired. */
const beginning: Step[] = [
  { act: "add", text: "The port is 8080", project: undefined, old: false },
  { act: "add", text: "beta", project: "one", old: false },
  { act: "add", text: "gamma", project: undefined, old: true },
]

/** Takes the steps, then undoes all that still stands; after each undo the graph is as it was before. */
async function goThere(world: MemoryWorld, steps: Step[], seen: Set<string>): Promise<void> {
  const past = [graphOf(await world.export())]
  const goBack = async () => {
    if (past.length === 1) return
    await world.undo()
    past.pop()
    expect(graphOf(await world.export())).toEqual(past.at(-1))
  }
  for (const one of [...beginning, ...steps]) {
    if (one.act === "undo") await goBack()
    else {
      const hasChanged = await take(world, one, seen)
      const now = graphOf(await world.export())
      if (hasChanged) {
        seen.add(one.act)
        past.push(now)
      } else expect(now).toEqual(past.at(-1))
    }
  }
  while (past.length > 1) await goBack()
}

describeDatabases("Undo after any sequence", (create) => {
  test("goes back through exactly the graphs that were there before", { timeout: 240_000 }, async () => {
    const steps = fc.array(step, { minLength: 4, maxLength: 20 })
    const seen = new Set<string>()
    const property = fc.asyncProperty(steps, async (taken) =>
      goThere(await openMemoryWorld(await create()), taken, seen),
    )
    await fc.assert(property, { numRuns: 20, seed: 20261115 })
    const acts = ["add", "edit", "forget", "link", "prune", "rate", "resolve", "restore", "tag"]
    expect([...seen].sort()).toEqual([...acts, "saved", "reinforced", "superseded"].sort())
  })
})
