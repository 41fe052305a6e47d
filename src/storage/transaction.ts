import type { Sql } from "./sql.ts"

/** Runs queries. Rows are plain objects with the column names of the query. */
export interface Reader {
  read<Row extends object>(query: Sql): Promise<Row[]>
}

/** A write transaction. Await only statements inside one: nothing slow, nothing remote. */
export interface Transaction extends Reader {
  /** Runs a statement and returns the number of changed rows. */
  run(query: Sql): Promise<number>
  /** The installation that writes, if known; it is stored with every journal entry. */
  readonly install?: string | undefined
}
