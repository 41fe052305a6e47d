import { closeSync, openSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { messageOf, UserError } from "../../base/errors.ts"
import { makePrivateFolder, replaceFile } from "../../base/files/files.ts"
import { bytesText } from "../../base/text/text.ts"
import { loadSqlite, type SqliteBinding } from "./binding.ts"
import { markCopy, readHead } from "./copy-mark.ts"
import { foreignContent, noFile, notOurs, storageError } from "./errors.ts"

/** A database file and how to connect to it. */
export interface SqliteFile {
  file: string
  connect(): DatabaseSync
  /** Marks another file as a copy. */
  markFile(file: string): void
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
  const markFile = (copy: string) => {
    const connection = new binding(copy)
    try {
      markCopy(connection)
    } finally {
      connection.close()
    }
  }
  return { file, connect, markFile }
}

/** Whether there is no database yet: no file, or nothing in it. */
export function isNew(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined || (found.isFile() && found.size === 0)
}

/** Refuses to make a database beside the log of one that is gone: SQLite would delete what the log holds. */
export function refuseLoneLog(file: string): void {
  const log = `${file}-wal`
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  // Another process may have made the database since somebody looked; its log comes after its file.
  if (!isNew(file)) return
  const advice = `Put the database back where it was; to begin with an empty memory instead, move ${log} away.`
  throw new UserError("lost", `${file} is missing or empty, but its log ${log} is there. ${advice}`)
}

/** Makes the file and its folder if they are new, for their owner only. */
export function makePrivateFile(file: string): void {
  try {
    makePrivateFolder(dirname(file))
    const found = statSync(file, { throwIfNoEntry: false })
    if (found && !found.isFile()) throw noFile(file)
    // SQLite takes a file that is shorter than the smallest page for an empty one, and writes over it.
    if (found && found.size > 0 && found.size < 512) throw notOurs(file, foreignContent)
    // One that is there is not opened: closing it again would give up the locks of this process's other connections.
    if (!found) closeSync(openSync(file, "a", 0o600))
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

/** What is wrong with a database that nobody uses, in short; undefined if it is sound and ours. */
export async function damageOf(file: string): Promise<string | undefined> {
  const binding = await loadSqlite()
  if (["other", "empty"].includes(readHead(binding, file))) return "it is no database of ours"
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

/** Brings a database's log into it, as far as that can be done: what is set aside is then whole in one file. */
export async function emptyLogOf(file: string): Promise<void> {
  const binding = await loadSqlite()
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })) return
  if (["copy", "other", "empty"].includes(readHead(binding, file))) return
  try {
    const connection = new binding(file)
    connection.exec("pragma busy_timeout = 1000; pragma wal_checkpoint(truncate)")
    connection.close()
  } catch {
    // It is damaged, or in use: its log goes aside with it.
  }
}

/** What there is to tell about the file. */
export function factsOf(reader: DatabaseSync, file: string): Record<string, string> {
  const version = reader.prepare("select sqlite_version() as version").get()?.version
  // What was written last stands beside the file until it is brought over.
  const sizes = [file, `${file}-wal`].map((one) => statSync(one, { throwIfNoEntry: false })?.size ?? 0)
  return { engine: `SQLite ${version}`, file, size: bytesText(sizes.reduce((sum, size) => sum + size, 0)) }
}
