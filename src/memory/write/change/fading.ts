import type { Core } from "../../../storage/core.ts"
import type { By } from "../../../storage/journal.ts"
import { sql } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import { type BeliefFields, confidenceAt, isExpired, mayBeArchived } from "../../model/decay.ts"
import type { Memory, MemoryDetails } from "../../model/memory.ts"
import { pagesOf } from "../../model/store/batch.ts"
import { findMemories } from "../../model/store/store.ts"
import { type ChangeResult, changed, runOperation } from "./operation.ts"

const pageSize = 2000
/** A memory with at least this confidence cannot become faint within this time. */
const safeConfidence = 0.4
const safeMs = 7 * 86_400_000

/** A memory with very low confidence. */
interface Faded {
  id: string
  now: number
  /** It is archived automatically; otherwise on request, or when memory is over its capacity. */
  expired: boolean
}

/** All active memories with very low confidence, the lowest first. */
export async function findFaded(on: Reader, now: number): Promise<Faded[]> {
  const faded: Faded[] = []
  const read = (last: { seq: number } | undefined) => agingMemories(on, last?.seq ?? 0, now)
  for await (const page of pagesOf(pageSize, read)) {
    for (const memory of page) {
      if (!mayBeArchived(memory, now)) continue
      faded.push({ id: memory.id, now: confidenceAt(memory, now), expired: isExpired(memory, now) })
    }
  }
  return faded.sort((a, b) => a.now - b.now || (a.id < b.id ? -1 : 1))
}

async function agingMemories(on: Reader, after: number, now: number) {
  const rows = await on.read<
    Omit<BeliefFields, "details"> & { details: string; id: string; seq: number }
  >(sql`
    select m.seq as seq, m.id as id, m.type as type, m.source as source, m.created_at as "createdAt",
      m.verified_at as "verifiedAt", m.access_count as "accessCount", m.strength as strength,
      m.confidence as confidence, m.trust as trust, m.details as details
    from memories m where m.seq > ${after} and m.status = 'active'
      and (m.confidence < ${safeConfidence} or m.created_at < ${now - safeMs})
    order by m.seq limit ${pageSize}`)
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as MemoryDetails }))
}

/** Memories that fade: `expired` ones are archived at the next pruning, `faint` ones only on request. */
export interface Fading {
  expired: Memory[]
  faint: Memory[]
  /** The total numbers, whether listed or not. */
  counts: { expired: number; faint: number }
}

/** Lists fading memories; changes nothing. */
export async function listFading({ db, clock }: Core, { limit }: { limit: number }): Promise<Fading> {
  const faded = await findFaded(db, clock.now())
  const expired = faded.filter((one) => one.expired)
  const faint = faded.filter((one) => !one.expired)
  return {
    expired: await shown(db, expired.slice(0, limit)),
    faint: await shown(db, faint.slice(0, limit)),
    counts: { expired: expired.length, faint: faint.length },
  }
}

async function shown(on: Reader, faded: readonly Faded[]): Promise<Memory[]> {
  const found = await findMemories(
    on,
    faded.map(({ id }) => id),
  )
  return faded.flatMap(({ id }) => found.get(id) ?? [])
}

/** Archives expired memories as one operation, the lowest confidence first. `exclude` names those that stay. */
export async function pruneExpired(
  needs: Core,
  {
    limit,
    exclude,
  }: { limit: number; exclude?: (on: Reader, ids: readonly string[]) => Promise<Set<string>> },
  by: By,
): Promise<ChangeResult> {
  const faded = await findFaded(needs.db, needs.clock.now())
  const expired = faded.filter((one) => one.expired).map(({ id }) => id)
  const excluded = (await exclude?.(needs.db, expired)) ?? new Set()
  const ids = expired.filter((id) => !excluded.has(id))
  return archiveFaded(needs, ids.slice(0, limit), isExpired, by)
}

/** Archives those of the memories that are active and still pass the test, as one operation. */
export function archiveFaded(
  needs: Core,
  ids: readonly string[],
  isStill: (memory: Memory, at: number) => boolean,
  by: By,
): Promise<ChangeResult> {
  return runOperation(needs, by, { kinds: ["memory.archived"], about: [] }, async (transaction, at) => {
    const found = await findMemories(transaction, ids)
    // One of them may have been said again since.
    const still = [...found.values()].filter((memory) => memory.status === "active" && isStill(memory, at))
    return {
      memories: still.map((before) => ({
        kind: "memory.archived" as const,
        before,
        after: changed(before, at, { status: "archived" }),
      })),
    }
  })
}
