import { UserError } from "../base/errors.ts"
import type { Transaction } from "./database.ts"
import { foundation } from "./migrations/001-foundation.ts"
import { sql } from "./sql.ts"

/** A numbered change of the schema, written once for each database. Landed ones are never edited. */
interface Migration {
  version: number
  name: string
  sqlite: string
  postgres: string
}

const migrations: readonly Migration[] = [foundation]

/** The newest schema this program knows. */
export const newestVersion = migrations.at(-1)?.version ?? 0

/** A transaction that can also run a script of several statements. */
export interface MigrationRun extends Transaction {
  script(text: string): Promise<void>
}

/** Applies what is missing, in the caller's transaction. `version` is the schema found, 0 for a new one. */
export async function applyMigrations(
  run: MigrationRun,
  kind: "sqlite" | "postgres",
  version: number,
  now: number,
): Promise<void> {
  for (const migration of migrations) {
    if (migration.version <= version) continue
    await run.script(migration[kind])
    await run.run(
      sql`insert into migrations (version, name, applied_at) values (${migration.version}, ${migration.name}, ${now})`,
    )
  }
}

/** Refuses a schema that a newer program wrote: using it could lose what this one does not know of. */
export function refuseNewer(version: number, place: string): void {
  if (version <= newestVersion) return
  throw new UserError(
    "storage",
    `${place} was written by a newer Reverie (schema ${version}, this one knows up to ${newestVersion}); update Reverie, or set storage.url to another database.`,
  )
}
