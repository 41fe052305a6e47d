import { dirname, resolve } from "node:path"
import { UserError } from "../base/errors.ts"
import { withoutPassword } from "../base/text/text.ts"
import type { Database, DatabaseOptions } from "./database.ts"
import { allMigrations } from "./migrate.ts"
import type { Migration } from "./migrations/migration.ts"

interface OpenDatabase extends Omit<DatabaseOptions, "migrations"> {
  /** storage.url of the configuration; empty means the embedded file. */
  url: string
  /** The embedded database's file. */
  file: string
  /** By default all. */
  migrations?: readonly Migration[]
  /** Called once before the schema of an existing embedded database is changed. */
  beforeMigration?: (copyTo: (file: string) => Promise<void>, version: number) => Promise<void>
  /** Called before an embedded database is created; it throws if one should exist. */
  beforeNew?: (file: string) => Promise<void>
}

/** Opens the database of a URL and migrates its schema. */
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

/** The file of a URL. A relative path is relative to the embedded database's folder, not to the current one. */
export function sqliteFileOf(url: string, embedded: string): string {
  return url === "" ? embedded : resolve(dirname(embedded), url.replace(/^sqlite:(\/\/)?/, ""))
}
