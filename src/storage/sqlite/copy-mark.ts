import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import type { SqliteBinding } from "./binding.ts"
import { isMalformed } from "./errors.ts"

/** SQLite's application id of our databases ("Rvry"), so that another program's database is never changed. */
export const applicationId = 0x52767279

/** The `user_version` of a copy; a database in use has 0. */
const copyMark = 1

/**
 * Marks a file as a copy. If a user moves it to the place of the database, we know that the write-ahead log there belongs
 * to the replaced database and would corrupt the copy.
 */
export function markCopy(connection: DatabaseSync): void {
  connection.exec(`pragma user_version = ${copyMark}`)
}

/** Removes the mark: the copy becomes the database. */
export function unmarkCopy(connection: DatabaseSync): void {
  connection.exec("pragma user_version = 0")
}

/**
 * "other" is not our database; "empty" has no tables, such as ours while all data is in its log; "unsettled" is being
 * written right now.
 */
type Head = "ours" | "copy" | "other" | "empty" | "unsettled"

/** Classifies a file by its header, without its log and without a lock. */
export function readHead(binding: SqliteBinding, file: string): Head {
  const url = pathToFileURL(file)
  url.searchParams.set("immutable", "1")
  try {
    const connection = new binding(url, { readOnly: true })
    try {
      const id = connection.prepare("pragma application_id").get()?.application_id
      const hasTables = () => connection.prepare("select 1 from sqlite_schema limit 1").get() !== undefined
      if (id !== applicationId) return id === 0 && !hasTables() ? "empty" : "other"
      const version = connection.prepare("pragma user_version").get()?.user_version
      return version === copyMark ? "copy" : "ours"
    } finally {
      connection.close()
    }
  } catch (error) {
    // During a checkpoint, the header announces more pages than the file has.
    return isMalformed(error) ? "unsettled" : "other"
  }
}
