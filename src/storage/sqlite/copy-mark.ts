import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import type { SqliteBinding } from "./binding.ts"
import { isMalformed } from "./errors.ts"

/** Marks a file as ours, so that another program's database is never touched ("Rvry"). */
export const applicationId = 0x52767279

/** What stands in the head of a copy, and never in the head of a database that is in use. */
const copyMark = 1

/**
 * Says in a copy's own head that it is one. Moved by hand to where the database was, it is known by that: the log that
 * lies there belongs to what it replaced, and would destroy it.
 */
export function markCopy(connection: DatabaseSync): void {
  connection.exec(`pragma user_version = ${copyMark}`)
}

/** Takes the mark away: from here on it is the database. */
export function unmarkCopy(connection: DatabaseSync): void {
  connection.exec("pragma user_version = 0")
}

/**
 * "other" is no database of ours; "empty" one without tables, such as ours as long as all of it is in its log; "unsettled" a
 * file that somebody is writing right now.
 */
type Head = "ours" | "copy" | "other" | "empty" | "unsettled"

/** What a file's head says, without its log and without a lock. */
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
    // While a log is played into it, its head promises more pages than there are.
    return isMalformed(error) ? "unsettled" : "other"
  }
}
