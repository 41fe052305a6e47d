import { rewriteEntries } from "../storage/journal.ts"
import { joinSql, type Sql, sql, sqlList } from "../storage/sql.ts"
import type { Transaction } from "../storage/transaction.ts"

/** Up to this many memories are searched for in transcripts; for more, every transcript is erased. */
const mostSearched = 20

/**
 * Erases from cycles whatever may quote these memories, or any: the transcripts that name one, their summaries and plans.
 * The cycles and their costs stay. Returns the ids of the cycles it changed.
 */
export async function eraseFromCycles(
  transaction: Transaction,
  ids: readonly string[] | "all",
): Promise<string[]> {
  const cycles = await transaction.read<{ id: string }>(sql`
    select distinct c.id as id from cycles c where ${mentioned(ids)}`)
  if (cycles.length === 0) return []
  const all = sqlList(cycles.map(({ id }) => id))
  const receipts = await transaction.read<{ id: string; receipt: string }>(
    sql`select id, receipt from cycles where id in ${all}`,
  )
  for (const { id, receipt } of receipts) {
    const whole = JSON.parse(receipt)
    const deeds = whole.deeds.map((deed: object) => ({ ...deed, words: [] }))
    const bare = JSON.stringify({ ...whole, deeds, open: [], requests: [], warnings: [], found: [] })
    await transaction.run(sql`
      update cycles set summary = ${purged}, receipt = ${bare}, progress = '{"phase":"talking","todos":[],"items":[]}'
      where id = ${id} and status <> 'running'`)
  }
  await transaction.run(sql`delete from cycle_messages where cycle in ${all}`)
  await transaction.run(sql`
    update queue_items set context = ${purged}, outcome = null where created_by in ${all} or cycle in ${all}`)
  await erasePlans(transaction)
  const mayQuote = sql`
    subject in ${all} and kind in ('cycle.ended', 'cycle.undone', 'cycle.rejected', 'cycle.approved', 'permission.refused',
      'permission.withheld', 'tool.allowed', 'tool.held', 'tool.refused')
    or kind = 'ambient.scheduled'
    or kind in ('queue.added', 'queue.finished', 'queue.failed', 'queue.postponed') and subject in (
      select id from queue_items where created_by in ${all} or cycle in ${all})`
  await rewriteEntries(transaction, mayQuote, { purged: true })
  return cycles.map(({ id }) => id)
}

const purged = "(purged)"

/** The agent's plan for the next wake may quote a memory. */
async function erasePlans(transaction: Transaction): Promise<void> {
  const rows = await transaction.read<{ install: string; state: string }>(
    sql`select install, state from ambient_states`,
  )
  for (const { install, state } of rows) {
    const bare = JSON.stringify({ ...JSON.parse(state), wish: null, requestedWake: null })
    await transaction.run(sql`update ambient_states set state = ${bare} where install = ${install}`)
  }
}

function mentioned(ids: readonly string[] | "all"): Sql {
  if (ids === "all" || ids.length > mostSearched) return sql`true`
  const inMessages = ids.map((id) => sql`m.message like ${`%${id}%`}`)
  const inReceipts = ids.map((id) => sql`c.receipt like ${`%${id}%`}`)
  return sql`(exists (select 1 from cycle_messages m where m.cycle = c.id and (${joinSql(inMessages, sql` or `)}))
    or ${joinSql(inReceipts, sql` or `)})`
}
