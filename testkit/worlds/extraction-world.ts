import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { type BudgetCheck, type Models, openModels } from "../../src/llm/choice/models.ts"
import type { SessionExtractCore } from "../../src/memory/extract/extract-session.ts"
import { selectMemories } from "../../src/memory/model/store/store.ts"
import { sql } from "../../src/storage/sql.ts"
import { withoutPauses } from "../manual-clock.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { throwawayFolder } from "../program/home.ts"
import { storeSession } from "../sessions/session-rows.ts"
import type { TestDatabase } from "../setup/databases.ts"
import { openMemoryWorld } from "./memory-world.ts"

type Settings = NonNullable<NonNullable<Parameters<typeof openMemoryWorld>[2]>["config"]>

/** Sessions and a memory on a test database; with a server, a model that reads too. */
export async function openExtractionWorld(
  store: TestDatabase,
  {
    server,
    config = {},
    heldBack,
    embedder,
  }: {
    server?: ModelServer
    config?: Settings
    heldBack?: BudgetCheck | undefined
    embedder?: Embedder
  } = {},
) {
  const models = server
    ? { provider: "local" as const, local_url: `${server.url}/v1`, local_model: "reader" }
    : {}
  const world = await openMemoryWorld(store, 1, {
    config: { models, ...config },
    ...(embedder ? { embedder } : {}),
  })
  const install = "install_test"
  const needs: SessionExtractCore = {
    ...world,
    install,
    models: server && modelsOf(world, install, heldBack),
  }
  const store1 = (session: Omit<Parameters<typeof storeSession>[1], "install" | "at"> & { at?: number }) =>
    storeSession(world.db, { install, at: world.clock.now(), ...session })
  return {
    ...world,
    needs,
    install,
    storeSession: store1,
    all: () => selectMemories(world.db, sql`true`, sql`order by m.seq`),
  }
}

function modelsOf(
  world: Awaited<ReturnType<typeof openMemoryWorld>>,
  install: string,
  heldBack: BudgetCheck | undefined,
): Models {
  const env = readEnvironment({ REVERIE_HOME: throwawayFolder(), HOME: throwawayFolder() })
  const redact = world.screen.redactSync
  const clock = withoutPauses(world.clock)
  return openModels({
    ...world,
    clock,
    env,
    paths: pathsFor(env),
    install,
    fetch,
    redact,
    checkBudget: heldBack,
  })
}

/** A step in which the model records these notes. */
export function notes(...memories: object[]) {
  return { calls: [{ name: "record_memories", input: { memories } }] }
}
