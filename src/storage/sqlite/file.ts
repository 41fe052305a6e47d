import { closeSync, openSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { messageOf, UserError } from "../../base/errors.ts"
import { makePrivateFolder, replaceFile } from "../../base/files/files.ts"
import { bytesText } from "../../base/text/text.ts"
import { loadSqlite, type SqliteBinding } from "./binding.ts"
import { markCopy, readHead } from "./copy-mark.ts"
import { notAFileError, notOurDatabase, notOurDatabaseError, storageError } from "./errors.ts"

/** A database file. */
export interface SqliteFile {
  file: string
  connect(): DatabaseSync
  /** Classifies it by its header. */
  head(): ReturnType<typeof readHead>
  /** Marks another file as a copy. */
  markFile(file: string): void
}

/** Opens connections with our settings. A commit survives a power cut. */
export function sqliteFile(binding: SqliteBinding, file: string): SqliteFile {
  const connect = () => {
    const connection = new binding(file)
    connection.exec(`
      pragma busy_timeout = 50; pragma synchronous = full; pragma foreign_keys = on;
      pragma temp_store = memory; pragma cache_size = -64000;
    `)
    return connection
  }
  const markFile = (copy: string) => {
    const connection = new binding(copy)
    try {
      markCopy(connection)
    } finally {
      connection.close()
    }
  }
  return { file, connect, head: () => readHead(binding, file), markFile }
}

/** Whether there is no database yet: no file, or an empty one. */
export function isNew(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined || (found.isFile() && found.size === 0)
}

/** Refuses to create a database next to the log of a missing one, because SQLite would delete that log. */
export function refuseOrphanedLog(file: string): void {
  const log = `${file}-wal`
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  // Another process may have created the database meanwhile; it creates the file before the log.
  if (!isNew(file)) return
  const advice = `Restore the database to its place; to start with an empty memory instead, move ${log} away.`
  throw new UserError("lost", `${file} is missing or empty, but its log ${log} is there. ${advice}`)
}

/** Creates the file and its folder if they do not exist, for their owner only. */
export function makePrivateFile(file: string): void {
  try {
    makePrivateFolder(dirname(file))
    const found = statSync(file, { throwIfNoEntry: false })
    if (found && !found.isFile()) throw notAFileError(file)
    // SQLite treats a file that is shorter than its smallest page as empty, and overwrites it.
    if (found && found.size > 0 && found.size < 512) throw notOurDatabaseError(file, notOurDatabase)
    // An existing file is not opened: closing it would release the locks of this process's other connections.
    if (!found) closeSync(openSync(file, "a", 0o600))
  } catch (error) {
    throw storageError(error, file)
  }
}

/** Checks the whole file for damage. */
export async function checkFile(connect: SqliteFile["connect"]): Promise<string[]> {
  const connection = connect()
  try {
    const rows = connection.prepare("pragma integrity_check(20)").all()
    const problems = rows.map((row) => String(row.integrity_check)).filter((text) => text !== "ok")
    const orphans = connection.prepare("pragma foreign_key_check").all()
    if (orphans.length > 0) problems.push(`${orphans.length} rows refer to rows that do not exist`)
    return problems
  } finally {
    connection.close()
  }
}

/** Writes a consistent copy atomically, while others continue to work. */
export async function copyDatabase(
  { connect, markFile }: Pick<SqliteFile, "connect" | "markFile">,
  target: string,
): Promise<void> {
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
      markFile(temporary)
    })
  } catch (error) {
    throw storageError(error, target)
  }
}

/** The first problem of a database that is not in use; undefined if it is ours and intact. */
export async function damageOf(file: string): Promise<string | undefined> {
  const binding = await loadSqlite()
  if (["other", "empty"].includes(readHead(binding, file))) return "it is not a Reverie database"
  const connection = new binding(file, { readOnly: true })
  try {
    const found = connection.prepare("pragma quick_check(1)").get()?.quick_check
    return found === "ok" ? undefined : String(found)
  } catch (error) {
    return messageOf(error)
  } finally {
    connection.close()
  }
}

/** Checkpoints a database's log if possible, so that all data is in one file. */
export async function truncateLogOf(file: string): Promise<void> {
  const binding = await loadSqlite()
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })) return
  if (["copy", "other", "empty"].includes(readHead(binding, file))) return
  try {
    const connection = new binding(file)
    connection.exec("pragma busy_timeout = 1000; pragma wal_checkpoint(truncate)")
    connection.close()
  } catch {
    // It is damaged or in use; its log is moved together with it.
  }
}

/** The version and size, for `doctor`. */
export function factsOf(reader: DatabaseSync, file: string): Record<string, string> {
  const version = reader.prepare("select sqlite_version() as version").get()?.version
  // The newest data is in the log until it is checkpointed.
  const sizes = [file, `${file}-wal`].map((one) => statSync(one, { throwIfNoEntry: false })?.size ?? 0)
  return { engine: `SQLite ${version}`, file, size: bytesText(sizes.reduce((sum, size) => sum + size, 0)) }
}
