import { closeSync, openSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { makePrivateFolder, replaceFile } from "../base/files.ts"
import { bytesText } from "../base/text.ts"
import type { SqliteBinding } from "./sqlite-binding.ts"
import { storageError } from "./sqlite-errors.ts"

/** A database file and how to connect to it. */
export interface SqliteFile {
  file: string
  connect(): DatabaseSync
}

/** Connections with our settings. Writers are durable: a commit that was acknowledged survives a power cut. */
export function sqliteFile(binding: SqliteBinding, file: string): SqliteFile {
  const connect = () => {
    const connection = new binding(file)
    connection.exec(`
      pragma busy_timeout = 50; pragma synchronous = full; pragma foreign_keys = on;
      pragma temp_store = memory; pragma cache_size = -64000;
    `)
    return connection
  }
  return { file, connect }
}

/** Makes the file and its folder if they are new, for their owner only. */
export function makePrivateFile(file: string): void {
  try {
    makePrivateFolder(dirname(file))
    closeSync(openSync(file, "a", 0o600))
  } catch (error) {
    throw storageError(error, file)
  }
}

/** Looks through the whole file for damage. */
export async function checkFile(connect: SqliteFile["connect"]): Promise<string[]> {
  const connection = connect()
  try {
    const rows = connection.prepare("pragma integrity_check(20)").all()
    const problems = rows.map((row) => String(row.integrity_check)).filter((text) => text !== "ok")
    const orphans = connection.prepare("pragma foreign_key_check").all()
    if (orphans.length > 0) problems.push(`${orphans.length} rows refer to something that is gone`)
    return problems
  } finally {
    connection.close()
  }
}

/** A consistent copy made by SQLite itself while others go on working; whole or not there at all. */
export async function copyDatabase(connect: SqliteFile["connect"], target: string): Promise<void> {
  makePrivateFolder(dirname(target))
  try {
    await replaceFile(target, async (temporary) => {
      const connection = connect()
      try {
        connection.exec("pragma busy_timeout = 5000")
        connection.prepare("vacuum into ?").run(temporary)
      } finally {
        connection.close()
      }
    })
  } catch (error) {
    throw storageError(error, target)
  }
}

/** What there is to tell about the file. */
export function factsOf(reader: DatabaseSync, file: string): Record<string, string> {
  const version = reader.prepare("select sqlite_version() as version").get()?.version
  // What was written last stands beside the file until it is brought over.
  const sizes = [file, `${file}-wal`].map((one) => statSync(one, { throwIfNoEntry: false })?.size ?? 0)
  return { engine: `SQLite ${version}`, file, size: bytesText(sizes.reduce((sum, size) => sum + size, 0)) }
}
