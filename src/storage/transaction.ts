import type { Sql } from "./sql.ts"

/** Asks the database; rows come back as plain objects with the column names of the query. */
export interface Reader {
  read<Row extends object>(query: Sql): Promise<Row[]>
}

/** A running transaction. Only statements may be awaited inside one: nothing slow, nothing remote. */
export interface Transaction extends Reader {
  /** Changes rows and tells how many. */
  run(query: Sql): Promise<number>
  /** The installation that writes, where it is known; it stands on every entry of the journal. */
  readonly install?: string | undefined
}
