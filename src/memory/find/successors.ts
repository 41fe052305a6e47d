import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** Chains of replacements are followed at most this far. */
const longestChain = 10

/** Maps superseded memories to their active successors, where those are visible. */
export async function findSuccessors(
  on: Reader,
  visible: Sql,
  replaced: readonly string[],
): Promise<Map<string, string>> {
  const current = new Map(replaced.map((id) => [id, id]))
  const successors = new Map<string, string>()
  for (let step = 0; step < longestChain && current.size > 0; step += 1) {
    const rows = await on.read<{ id: string; status: string; next: string | null }>(sql`
      select m.id as id, m.status as status, m.superseded_by as next from memories m
      where m.id in ${sqlList([...new Set(current.values())])} and ${visible}`)
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const [first, id] of [...current]) {
      const row = found.get(id)
      if (row?.status === "active") successors.set(first, id)
      if (row?.status === "superseded" && row.next !== null) current.set(first, row.next)
      else current.delete(first)
    }
  }
  return successors
}
