import type { Clock } from "../base/clock.ts"
import type { UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import type { Random } from "../base/random.ts"
import type { Migration } from "./migrations/migration.ts"
import type { SearchIndex } from "./search.ts"
import type { Sql } from "./sql.ts"
import type { Reader, Transaction } from "./transaction.ts"

/** An open database, SQLite or PostgreSQL. Code outside of storage is the same for both. */
export interface Database extends Reader {
  readonly kind: "sqlite" | "postgres"
  /** For messages: the file, or the server and database without the password. */
  readonly location: string
  readonly search: SearchIndex
  /** SQL for the current time in milliseconds: the server's clock where several machines share one database. */
  now(): Sql
  /** Runs a write transaction, one at a time over all processes: what it reads cannot change before it commits. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Runs several reads that see the same state, whatever is written meanwhile. */
  readTransaction<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  /** Calls back after commits of any process; several commits may cause one call. Returns a function to stop. */
  onCommit(listener: () => void): () => void
  /** Checks for damage; an empty list means none. */
  check(): Promise<string[]>
  /** Rewrites the files without deleted data; false if another connection still reads the old ones. */
  vacuum(): Promise<boolean>
  /** Versions and sizes, for `doctor`. */
  facts(): Promise<Record<string, string>>
  /** Writes a copy that can be restored; undefined if this kind of database does not support it. */
  copyTo: ((file: string) => Promise<void>) | undefined
  /** Calls back once if the database is deleted or replaced while it is open. Every later write is refused. */
  onLost(listener: (error: UserError) => void): void
  close(): Promise<void>
}

/** Options for opening a database of either kind. */
export interface DatabaseOptions {
  clock: Clock
  random: Random
  log: Log
  migrations: readonly Migration[]
  /** The installation that opens it, for the journal. */
  install?: string | undefined
}
