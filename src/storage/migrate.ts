import { UserError } from "../base/errors.ts"
import { foundation } from "./migrations/001-foundation.ts"
import { memoryGraph } from "./migrations/002-memory.ts"
import { clusterRuns } from "./migrations/003-cluster-runs.ts"
import { models } from "./migrations/004-models.ts"
import { sessions } from "./migrations/005-sessions.ts"
import { cycles } from "./migrations/006-cycles.ts"
import { importKeys } from "./migrations/007-import-keys.ts"
import { agentLosses } from "./migrations/008-agent-losses.ts"
import { words } from "./migrations/010-words.ts"
import { wiring } from "./migrations/011-wiring.ts"
import { permissions } from "./migrations/012-permissions.ts"
import { chat } from "./migrations/014-chat.ts"
import { discovery } from "./migrations/016-discovery.ts"
import { initiative } from "./migrations/017-initiative.ts"
import { mediaFeedback } from "./migrations/018-media-feedback.ts"
import type { Migration } from "./migrations/migration.ts"
import { sql } from "./sql.ts"
import type { Transaction } from "./transaction.ts"

/** All migrations, in order. */
export const allMigrations: readonly Migration[] = [
  foundation,
  memoryGraph,
  clusterRuns,
  models,
  sessions,
  cycles,
  importKeys,
  agentLosses,
  words,
  wiring,
  permissions,
  chat,
  discovery,
  initiative,
  mediaFeedback,
]

/** A transaction that can also run a script with several statements. */
export interface MigrationRun extends Transaction {
  script(text: string): Promise<void>
}

/** Applies migrations in the caller's transaction. */
export async function applyMigrations(
  run: MigrationRun,
  kind: "sqlite" | "postgres",
  pending: readonly Migration[],
  now: number,
): Promise<void> {
  for (const { version, name, [kind]: script } of pending) {
    await run.script(script)
    await run.run(
      sql`insert into migrations (version, name, applied_at) values (${version}, ${name}, ${now})`,
    )
  }
}

/** The migrations after this version (0 for a new schema). Throws for a schema that a newer Reverie wrote. */
export function pendingMigrations(
  all: readonly Migration[],
  version: number,
  database: string,
): readonly Migration[] {
  const newest = all.at(-1)?.version ?? 0
  if (version <= newest) return all.filter((migration) => migration.version > version)
  throw new UserError(
    "storage",
    `${database} was written by a newer Reverie (schema ${version}, this one knows up to ${newest}); update Reverie, or set storage.url to another database.`,
  )
}
