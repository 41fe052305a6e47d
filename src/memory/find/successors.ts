import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** Chains of replacements are followed this far. */
const longestChain = 10

/** For replaced memories the active ones that hold now, where there are any that may be seen. */
export async function findSuccessors(
  on: Reader,
  visible: Sql,
  replaced: readonly string[],
): Promise<Map<string, string>> {
  const now = new Map(replaced.map((id) => [id, id]))
  const holding = new Map<string, string>()
  for (let step = 0; step < longestChain && now.size > 0; step += 1) {
    const rows = await on.read<{ id: string; status: string; next: string | null }>(sql`
      select m.id as id, m.status as status, m.superseded_by as next from memories m
      where m.id in ${sqlList([...new Set(now.values())])} and ${visible}`)
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const [first, id] of [...now]) {
      const row = found.get(id)
      if (row?.status === "active") holding.set(first, id)
      if (row?.status === "superseded" && row.next !== null) now.set(first, row.next)
      else now.delete(first)
    }
  }
  return holding
}
