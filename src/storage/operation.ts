import { UserError } from "../base/errors.ts"
import { type By, type JournalEntry, readJournal } from "./journal.ts"
import type { Reader } from "./transaction.ts"

interface RepeatedOperation<T> {
  /** The prefix of the kinds of the entries with the result; by default any kind. */
  kind?: string
  /** How many of them to read; by default one. */
  limit?: number
  /** Reads the result from these entries; undefined if the id was used for something else. */
  read(entries: readonly JournalEntry[]): T | undefined | Promise<T | undefined>
  /** What to do about an id that was used for something else. */
  advice?: string
}

/**
 * The result of an operation that a client sends again because the response was lost; undefined the first time. Throws
 * if the id was used for something else.
 */
export async function earlierResult<T>(
  on: Reader,
  { operation }: By,
  { kind, limit = 1, read, advice = "give a new one" }: RepeatedOperation<T>,
): Promise<T | undefined> {
  const [used] = await readJournal(on, { operation, limit: 1 })
  if (used === undefined) return undefined
  const entries = await readJournal(on, { operation, kind, limit })
  const result = entries.length === 0 ? undefined : await read(entries)
  if (result !== undefined) return result
  throw new UserError("conflict", `The operation ${operation} was used before for something else; ${advice}.`)
}
