import type { GardenOptions, GardenReport } from "../../../src/memory/garden/garden.ts"
import { runGarden } from "../../../src/memory/garden/run-garden.ts"
import { memoryWorks } from "../../../src/memory/garden/works.ts"
import { createLossBudget } from "../../../src/memory/model/agents/losses.ts"
import type { TestDatabase } from "../../../testkit/setup/databases.ts"
import { createToyEmbedder } from "../../../testkit/toy-embedder.ts"
import { graphOf, type MemoryWorld, openMemoryWorld } from "../../../testkit/worlds/memory-world.ts"

/** A memory with a garden, tended as a cycle tends it. */
export type GardenWorld = MemoryWorld & {
  garden(pass?: Partial<Omit<GardenOptions, "by">>): Promise<GardenReport>
  /** The texts that can be found, sorted. */
  active(): Promise<string[]>
  /** Takes back everything a pass did, the last first. */
  takeBack(report: GardenReport): Promise<void>
}

/** Opens a memory whose garden compares by a toy embedder, or by words alone. */
export async function openGardenWorld(store: TestDatabase, { byWords = false } = {}): Promise<GardenWorld> {
  const world = await openMemoryWorld(store, 1, byWords ? {} : { embedder: createToyEmbedder() })
  let cycles = 0
  return {
    ...world,
    async garden(pass = {}) {
      await world.clock.advance(1000)
      cycles += 1
      let operations = 0
      const by = () => {
        operations += 1
        return { operation: `cycle-${cycles}-${operations}`, actor: "ambient" }
      }
      const whole = {
        by,
        limit: 10_000,
        losses: createLossBudget(10_000),
        signal: new AbortController().signal,
      }
      return runGarden(world, memoryWorks(world), { ...whole, ...pass })
    },
    async active() {
      const { memories } = graphOf(await world.export())
      return memories
        .filter(({ status }) => status === "active")
        .map(({ content, project }) => `${project ?? "everywhere"}: ${content}`)
        .sort()
    },
    async takeBack({ deeds }) {
      for (const { operation, changed } of deeds.toReversed()) if (changed > 0) await world.undo(operation)
    },
  }
}
