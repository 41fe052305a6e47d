import type { DatabaseSync } from "node:sqlite"
import { UserError } from "../../base/errors.ts"
import { isAtLeast } from "../../base/text/text.ts"

/** The class that opens SQLite files. */
export type SqliteBinding = typeof DatabaseSync

/** The oldest safe SQLite: older versions can corrupt a WAL database that several processes use. */
const oldestSafe = [3, 51, 3]

/** Node's own SQLite, or the packaged one for Node 22.13 to 22.22, whose SQLite lacks full text or has that bug. */
export async function loadSqlite(): Promise<SqliteBinding> {
  const { DatabaseSync: builtIn } = await import("node:sqlite")
  if (isGoodEnough(builtIn)) return builtIn
  try {
    const { DatabaseSync: packaged } = await import("@photostructure/sqlite")
    return packaged as unknown as SqliteBinding
  } catch (error) {
    const advice = "install Node 24, or put the package @photostructure/sqlite beside Reverie."
    throw new UserError("storage", `The SQLite of Node ${process.versions.node} is too old; ${advice}`, {
      cause: error,
    })
  }
}

function isGoodEnough(binding: SqliteBinding): boolean {
  const probe = new binding(":memory:")
  try {
    const row = probe.prepare("select sqlite_version() as version").get()
    const options = probe
      .prepare("pragma compile_options")
      .all()
      .map((option) => option.compile_options)
    return options.includes("ENABLE_FTS5") && isAtLeast(String(row?.version), oldestSafe)
  } finally {
    probe.close()
  }
}
