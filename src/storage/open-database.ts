import { dirname, resolve } from "node:path"
import { UserError } from "../base/errors.ts"
import { withoutPassword } from "../base/text/text.ts"
import type { Database, DatabaseNeeds } from "./database.ts"
import { allMigrations } from "./migrate.ts"
import type { Migration } from "./migrations/migration.ts"

interface OpenDatabase extends Omit<DatabaseNeeds, "migrations"> {
  /** storage.url of the configuration; empty means the embedded file. */
  url: string
  /** The embedded database's file. */
  file: string
  /** All there are, unless said otherwise. */
  migrations?: readonly Migration[]
  /** Called once before the schema of an existing embedded database is changed. */
  beforeMigration?: (copyTo: (file: string) => Promise<void>, version: number) => Promise<void>
  /** Called before an embedded database is made; it throws where there should be one. */
  beforeNew?: (file: string) => Promise<void>
}

/** Opens the database a URL names and brings its schema up to date. */
export async function openDatabase(options: OpenDatabase): Promise<Database> {
  const { url, ...needs } = { migrations: allMigrations, ...options }
  if (/^postgres(ql)?:/.test(url)) {
    const { openPostgres } = await import("./postgres/open.ts")
    return openPostgres({ ...needs, url })
  }
  if (url !== "" && !url.startsWith("sqlite:")) {
    throw new UserError(
      "config",
      `storage.url must begin with sqlite: or postgres://, not ${withoutPassword(url).slice(0, 20)}.`,
    )
  }
  const { openSqlite } = await import("./sqlite/open.ts")
  return openSqlite({ ...needs, file: sqliteFileOf(url, options.file) })
}

/** The file a URL names; a relative path is meant beside the embedded database, not in whatever folder one is in. */
export function sqliteFileOf(url: string, embedded: string): string {
  return url === "" ? embedded : resolve(dirname(embedded), url.replace(/^sqlite:(\/\/)?/, ""))
}
