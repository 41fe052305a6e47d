import { type Sql, sql } from "./sql.ts"
import type { Reader } from "./transaction.ts"

/** How many entries fulfil a condition on the journal's columns; all of them without one. */
export async function countEntries(on: Reader, where: Sql = sql`true`): Promise<number> {
  const [row] = await on.read<{ entries: number }>(
    sql`select count(*) as entries from journal where ${where}`,
  )
  return row?.entries ?? 0
}

/** What stands in the journal of one operation, as far as a condition reaches. */
export interface OperationRow {
  operation: string
  at: number
  actor: string
  /** How many things it changed. */
  changes: number
  /** The number of its first entry. */
  first: number
}

/** The operations with entries that fulfil a condition, the newest first. */
export function newestOperations(on: Reader, where: Sql, limit: number): Promise<OperationRow[]> {
  return on.read<OperationRow>(sql`
    select operation, min(at) as at, min(actor) as actor, count(distinct subject) as changes, min(seq) as first
    from journal where ${where} group by operation order by max(seq) desc limit ${limit}`)
}

/** The ids of the operations with entries that fulfil a condition, in the order of the ids. */
export async function operationsWhere(
  on: Reader,
  where: Sql,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<string[]> {
  const rows = await on.read<{ operation: string }>(sql`
    select distinct operation from journal where ${where} order by operation limit ${limit}`)
  return rows.map(({ operation }) => operation)
}

/** The kinds of the entries that fulfil a condition, each once. */
export async function kindsWhere(on: Reader, where: Sql): Promise<string[]> {
  const rows = await on.read<{ kind: string }>(sql`select distinct kind from journal where ${where}`)
  return rows.map(({ kind }) => kind)
}

/** Selects the operations with entries that fulfil a condition, as part of a statement. */
export function selectOperations(where: Sql): Sql {
  return sql`select operation from journal where ${where}`
}

/** Selects what the entries that fulfil a condition happened to (`subject`), and the newest of them (`newest`). */
export function selectSubjects(where: Sql): Sql {
  return sql`select subject, max(seq) as newest from journal where ${where} group by subject`
}
