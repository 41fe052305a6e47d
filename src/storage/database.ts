import type { Clock } from "../base/clock.ts"
import type { UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import type { Random } from "../base/random.ts"
import type { Migration } from "./migrations/migration.ts"
import type { SearchIndex } from "./search.ts"
import type { Sql } from "./sql.ts"
import type { Reader, Transaction } from "./transaction.ts"

/** One open database. Two kinds exist; everything above storage is the same for both. */
export interface Database extends Reader {
  readonly kind: "sqlite" | "postgres"
  /** For people: the file, or the server and database without the password. */
  readonly location: string
  readonly search: SearchIndex
  /** The present in milliseconds as SQL: the server's own clock where several machines share one database. */
  now(): Sql
  /** One writer at a time, in every process: what it reads cannot change before it commits. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Several reads that all see the same moment, however long they take and whatever is written meanwhile. */
  frozen<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  /** Calls back after commits of any process; several commits may give one call. Returns how to stop. */
  onCommit(listener: () => void): () => void
  /** Looks for damage; an empty list means sound. */
  check(): Promise<string[]>
  /** Writes its files anew without what was deleted; false where somebody still reads from the old ones. */
  scrub(): Promise<boolean>
  /** Facts for `doctor`: versions, sizes. */
  facts(): Promise<Record<string, string>>
  /** Writes a copy that can be put back later, if this kind of database does that itself. */
  copyTo: ((file: string) => Promise<void>) | undefined
  /** Calls back once if the database is deleted or replaced while it is open; every write is refused from then on. */
  onLost(listener: (error: UserError) => void): void
  close(): Promise<void>
}

/** What opening a database of either kind needs. */
export interface DatabaseNeeds {
  clock: Clock
  random: Random
  log: Log
  migrations: readonly Migration[]
  /** The installation that opens it, for the journal. */
  install?: string | undefined
}
