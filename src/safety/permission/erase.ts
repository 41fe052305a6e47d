import { rewriteEntries } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Transaction } from "../../storage/transaction.ts"

const shown = JSON.stringify({ description: "(purged)", rationale: "(purged)" })

/** Erases the texts of these cycles' requests. That something was requested and decided stays. */
export async function eraseRequests(transaction: Transaction, askedBy: readonly string[]): Promise<void> {
  if (askedBy.length === 0) return
  const all = sqlList(askedBy)
  const ours = await transaction.read<{ id: string; state: string }>(
    sql`select id, state from permission_requests where asked_by in ${all}`,
  )
  if (ours.length === 0) return
  // A pending request can no longer be shown, so it can no longer be approved.
  await transaction.run(sql`
    update permission_requests set shown = ${shown}, digest = '', answer = null, edited = null, outcome = null,
      action = '(purged)', state = case when state = 'pending' then 'expired' else state end
    where asked_by in ${all}`)
  const ids = sqlList(ours.map(({ id }) => id))
  await transaction.run(sql`delete from approval_tokens where request in ${ids}`)
  await rewriteEntries(transaction, sql`kind like 'permission.%' and subject in ${ids}`, { purged: true })
}
