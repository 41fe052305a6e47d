import { selectSubjects } from "../../storage/journal-queries.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { batchesOf } from "../model/store/batch.ts"

/** Those of these memories that were brought back once, by undo or by name: rules do not put them aside again. */
export async function broughtBack(on: Reader, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const some of batchesOf(ids)) {
    const isRestored = sql`subject in ${sqlList(some)} and kind = 'memory.restored' and imported = 0`
    const rows = await on.read<{ subject: string }>(selectSubjects(isRestored))
    for (const { subject } of rows) found.add(subject)
  }
  return found
}
