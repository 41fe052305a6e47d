import { UserError } from "../base/errors.ts"
import { type By, type JournalEntry, readJournal } from "./journal.ts"
import type { Reader } from "./transaction.ts"

interface Earlier<T> {
  /** How the kinds of the entries that tell the result begin; all without it. */
  kind?: string
  /** How many of them are needed; one without it. */
  limit?: number
  /** What the operation came to, read from these entries; undefined if it was used for something else. */
  read(entries: readonly JournalEntry[]): T | undefined | Promise<T | undefined>
  /** What to do about an id that was used for something else. */
  advice?: string
}

/**
 * What an operation came to before, where a client sends it again because the answer was lost; undefined the first time.
 * An id that was used for something else is refused, so that nothing is dropped by mistake.
 */
export async function earlierResult<T>(
  on: Reader,
  { operation }: By,
  { kind, limit = 1, read, advice = "give a new one" }: Earlier<T>,
): Promise<T | undefined> {
  const [used] = await readJournal(on, { operation, limit: 1 })
  if (used === undefined) return undefined
  const entries = await readJournal(on, { operation, kind, limit })
  const result = entries.length === 0 ? undefined : await read(entries)
  if (result !== undefined) return result
  throw new UserError("conflict", `The operation ${operation} was used before for something else; ${advice}.`)
}
