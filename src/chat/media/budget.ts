import { newId } from "../../base/random.ts"
import { type ModelCall, recordCall } from "../../llm/ledger.ts"
import type { Core } from "../../storage/core.ts"
import type { Database } from "../../storage/database.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { MediaKind } from "./plan.ts"

const dayMs = 86_400_000
/** Rows are deleted after this. */
const keptMs = 30 * dayMs

interface Claim {
  community: string
  kind: MediaKind
  /** The limit in 24 hours. */
  most: number
  at: number
}

/**
 * Reserves one of a community's budget before the request. It counts from here on, even after a crash, until `settle`
 * says that nothing was made or paid for.
 */
export async function reserve(
  { db, random }: Pick<Core, "db" | "random">,
  { community, kind, most, at }: Claim,
  by: By,
): Promise<{ id: string } | { reason: string }> {
  const id = newId(random, "media")
  const isFree = await db.write(async (transaction) => {
    // After the clock was set back, times in the future are set to now, so that they expire within a day.
    await transaction.run(sql`update chat_media set at = ${at} where community = ${community} and at > ${at}`)
    const used = await usedBy(transaction, community, at)
    if (used[kind] >= most) return false
    await transaction.run(sql`
      insert into chat_media (id, community, kind, state, counts, at)
      values (${id}, ${community}, ${kind}, 'reserved', 1, ${at})`)
    await transaction.run(sql`delete from chat_media where at < ${at - keptMs}`)
    const data = { community, kind, used: used[kind] + 1, most }
    await appendEntry(transaction, { ...by, at, kind: "media.reserved", subject: id, data })
    return true
  })
  if (isFree) return { id }
  return { reason: `This community's limit of ${most} of the kind ${kind} in 24 hours is used up.` }
}

/** The result. `counts`: whether it may have been made or paid for, and so counts against the budget. */
export interface MediaSettlement {
  state: "made" | "failed"
  counts: boolean
  data: Record<string, unknown>
  /** The entry for the ledger, if a model was asked. */
  call: ModelCall | null
}

/** Stores the result of a reservation. */
export async function settle(
  db: Database,
  id: string,
  { state, counts, data, call }: MediaSettlement,
  { at, ...by }: By & { at: number },
): Promise<void> {
  await db.write(async (transaction: Transaction) => {
    await transaction.run(sql`
      update chat_media set state = ${state}, counts = ${counts ? 1 : 0} where id = ${id} and state = 'reserved'`)
    await appendEntry(transaction, { ...by, at, kind: `media.${state}`, subject: id, data })
    if (call !== null) await recordCall(transaction, transaction.install ?? "", call, by)
  })
}

/** How many of each kind a community has used in the last 24 hours. */
export async function usedBy(on: Reader, community: string, at: number): Promise<Record<MediaKind, number>> {
  const rows = await on.read<{ kind: MediaKind; used: number }>(sql`
    select kind, count(*) as used from chat_media
    where community = ${community} and counts = 1 and at > ${at - dayMs} group by kind`)
  const used = { image: 0, video: 0, gif: 0 }
  for (const row of rows) used[row.kind] = Number(row.used)
  return used
}
