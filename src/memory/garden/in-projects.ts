import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { batchesOf } from "../model/store/batch.ts"

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
