import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import { configSchema } from "../../src/config/schema.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import type { Database } from "../../src/storage/database.ts"

/** What `remember`, `retrieve` and imports need, as the product would give it. */
export function needsOf(db: Database, embedder: Embedder | undefined) {
  const clock = systemClock
  const config = configSchema.parse({})
  return {
    db,
    clock,
    random: systemRandom,
    config,
    projects: createProjectFinder({ clock }),
    screen: openScreen({ clock }, config.privacy),
    log: silentLog,
    embedder,
  }
}

/** A new operation of the benchmark. */
export function by() {
  return { operation: newId(systemRandom, "op"), actor: "bench" }
}
