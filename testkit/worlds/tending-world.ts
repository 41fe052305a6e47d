import { serveModel } from "../model-server/serve-model.ts"
import type { TestDatabase } from "../setup/databases.ts"
import { openTendWorld } from "./tend-world.ts"

type Options = Partial<Parameters<typeof openTendWorld>[1]>

/** What tends, with a model server of its own unless one is given. */
export async function openTending(store: TestDatabase, options: Options = {}) {
  const server = options.server ?? (await serveModel())
  const world = await openTendWorld(store, { server, ...options })
  return { server, world }
}

/** Two memories that oppose each other, so that there is something to decide. */
export async function opposites(world: Awaited<ReturnType<typeof openTendWorld>>): Promise<void> {
  await world.remember("The port is 8080", { source: "user-stated" })
  await world.remember("The port is 9090", { source: "inferred" })
}

/** Something for the queue. */
export function item(context: string, dueAt: number) {
  return { dueAt, priority: "normal" as const, context, project: null, createdBy: "user" }
}
