import { type Sql, sql } from "./sql.ts"
import type { Reader } from "./transaction.ts"

/** Counts the entries that match a condition on the journal's columns; by default all. */
export async function countEntries(on: Reader, where: Sql = sql`true`): Promise<number> {
  const [row] = await on.read<{ entries: number }>(
    sql`select count(*) as entries from journal where ${where}`,
  )
  return row?.entries ?? 0
}

/** One operation, summed over the entries that match a condition. */
export interface OperationRow {
  operation: string
  at: number
  actor: string
  /** The number of changed subjects. */
  changes: number
  /** The `seq` of its first entry. */
  first: number
}

/** The operations with matching entries, the newest first. */
export function newestOperations(on: Reader, where: Sql, limit: number): Promise<OperationRow[]> {
  return on.read<OperationRow>(sql`
    select operation, min(at) as at, min(actor) as actor, count(distinct subject) as changes, min(seq) as first
    from journal where ${where} group by operation order by max(seq) desc limit ${limit}`)
}

/** The ids of the operations with matching entries, sorted. */
export async function operationsWhere(
  on: Reader,
  where: Sql,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<string[]> {
  const rows = await on.read<{ operation: string }>(sql`
    select distinct operation from journal where ${where} order by operation limit ${limit}`)
  return rows.map(({ operation }) => operation)
}

/** The distinct kinds of the matching entries. */
export async function kindsWhere(on: Reader, where: Sql): Promise<string[]> {
  const rows = await on.read<{ kind: string }>(sql`select distinct kind from journal where ${where}`)
  return rows.map(({ kind }) => kind)
}

/** A subquery for the operations of the matching entries. */
export function selectOperations(where: Sql): Sql {
  return sql`select operation from journal where ${where}`
}

/** A subquery for each `subject` of the matching entries, with the `seq` of its newest one (`newest`). */
export function selectSubjects(where: Sql): Sql {
  return sql`select subject, max(seq) as newest from journal where ${where} group by subject`
}
