import { onTestFinished } from "vitest"
import { excludedProjects } from "../../src/activities/tend/excluded-projects.ts"
import { gardenWorks } from "../../src/activities/tend/garden-works.ts"
import { scout } from "../../src/activities/tend/scout/scout.ts"
import { startTending, type TendingNeeds } from "../../src/activities/tend/start-tending.ts"
import { listCycles, requireCycle } from "../../src/attention/cycles.ts"
import { waitingItems } from "../../src/attention/queue.ts"
import type { Scheduler } from "../../src/attention/scheduler.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { runGarden } from "../../src/memory/garden/run-garden.ts"
import { createSourceReader } from "../../src/recall/choose/read-source.ts"
import { until } from "../manual-clock.ts"
import type { ModelRequest } from "../model-server/asked.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { throwawayFolder } from "../program/home.ts"
import type { TestDatabase } from "../setup/databases.ts"
import { openExtractionWorld } from "./extraction-world.ts"

/** A home of its own, and no sandbox unless a test brings one. */
export function homeOf() {
  const env = readEnvironment({ REVERIE_HOME: throwawayFolder(), HOME: throwawayFolder() })
  const sandbox = async () => ({ outcome: "missing", reason: "this is a test", fix: "" }) as const
  return { env, paths: pathsFor(env), sandbox }
}

type Options = NonNullable<Parameters<typeof openExtractionWorld>[1]>

/** Everything that tends, on a test database, with a clock that stands still; a model only where there is a server. */
export async function openTendWorld(store: TestDatabase, options: Options & { server: ModelServer }) {
  const { config = {} } = options
  // A model that may only look would prove little.
  const ambient = { garden_after_cycles: 0, ...config.ambient }
  const world = await openExtractionWorld(store, { ...options, config: { ...config, ambient } })
  const { models } = world.needs
  if (models === undefined) throw new Error("a world that tends needs a model server")
  const user: { lastAt: number | null } = { lastAt: null }
  const needs: TendingNeeds = {
    ...world.needs,
    models,
    embedder: world.embedder,
    garden: (pass) => runGarden(world, gardenWorks({ ...world.needs, embedder: world.embedder }), pass),
    sourceReader: createSourceReader(world.db),
    excluded: () => excludedProjects(world.needs),
    scout: (since, unseen) => scout({ ...world.needs, embedder: world.embedder }, since, unseen),
    lastUserAt: async () => user.lastAt,
    ...homeOf(),
  }
  let scheduler: Scheduler | undefined
  const settled = () => until(() => scheduler === undefined || scheduler.phase() === "resting")
  onTestFinished(async () => scheduler?.stop())
  return {
    ...world,
    needs,
    user,
    async start() {
      scheduler = await startTending(needs)
      await this.pass(0)
      return scheduler
    },
    stop: async () => scheduler?.stop(),
    last: () => scheduler?.last(),
    /** Lets so much time go by, stopping for each cycle that begins meanwhile until it has come to its end. */
    async pass(ms: number) {
      await settled()
      await world.clock.advance(ms, settled)
    },
    /** The same for a machine that sleeps, and wakes for a moment every hour. */
    async sleep(hours: number) {
      await settled()
      for (let slept = 0; slept < hours; slept += 1) await world.clock.jump(3_600_000, settled)
    },
    cycles: async () => (await listCycles(world.db, world.install, 1000)).toReversed(),
    cycle: (id: string) => requireCycle(world.db, world.install, id),
    queue: () => waitingItems(world.db, world.install),
  }
}

/** A step in which the agent ends its cycle. */
export function ends(summary: string, wakeInMinutes?: number) {
  const next_schedule = wakeInMinutes === undefined ? undefined : { wake_in_minutes: wakeInMinutes }
  return { calls: [{ name: "end_ambient_cycle", input: { summary, next_schedule } }] }
}

/** A step in which the agent says that every item of the queue it was shown is done, and ends its cycle. */
export function finishes(summary: string, wakeInMinutes?: number) {
  return ({ asked }: ModelRequest) => {
    const done = itemsIn(JSON.stringify(asked.messages)).map((id) => ({
      name: "queue_done",
      input: { id, result: summary },
    }))
    return { calls: [...done, ...ends(summary, wakeInMinutes).calls] }
  }
}

/** The items of the queue that a cycle was told of. */
export function itemsIn(prompt: string): string[] {
  return [...new Set([...prompt.matchAll(/- (q_[a-z0-9]+) \(/g)].map(([, id = ""]) => id))]
}

/** A step in which the agent calls one tool. */
export function calls(name: string, input: object) {
  return { calls: [{ name, input }] }
}
