import { selectSubjects } from "../../storage/journal-queries.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { batchesOf } from "../model/store/batch.ts"

/** Those of these memories that were restored once, by undo or by name: rules do not hide them again. */
export async function restoredBefore(on: Reader, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const some of batchesOf(ids)) {
    const isRestored = sql`subject in ${sqlList(some)} and kind = 'memory.restored' and imported = 0`
    const rows = await on.read<{ subject: string }>(selectSubjects(isRestored))
    for (const { subject } of rows) found.add(subject)
  }
  return found
}

/** Those of these memories that belong to one of these projects. */
export async function inProjects(
  on: Reader,
  ids: readonly string[],
  projects: ReadonlySet<string>,
): Promise<Set<string>> {
  const found = new Set<string>()
  if (projects.size === 0) return found
  for (const some of batchesOf(ids)) {
    const rows = await on.read<{ id: string }>(sql`
      select m.id as id from memories m where m.id in ${sqlList(some)} and m.project in ${sqlList([...projects])}`)
    for (const { id } of rows) found.add(id)
  }
  return found
}
