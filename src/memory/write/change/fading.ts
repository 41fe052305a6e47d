import { nextTurn } from "../../../base/clock.ts"
import type { Core } from "../../../storage/core.ts"
import type { By } from "../../../storage/journal.ts"
import { sql } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import { type Aging, confidenceAt, isExpired, isFaint } from "../../model/decay.ts"
import type { Memory, MemoryDetails } from "../../model/memory.ts"
import { pagesOf } from "../../model/store/batch.ts"
import { findMemories } from "../../model/store/store.ts"
import { act, type Changed, changed } from "./operation.ts"

const pageSize = 2000
/** Nothing that is believed at least this much can have become faint within this time, whatever it is. */
const safeConfidence = 0.4
const safeMs = 7 * 86_400_000

/** A memory that is hardly believed any more. */
interface Faded {
  id: string
  now: number
  /** It goes to the archive by itself; otherwise it only may. */
  expired: boolean
}

/** All active memories that are hardly believed any more, the least believed first. */
export async function findFaded(on: Reader, now: number): Promise<Faded[]> {
  const faded: Faded[] = []
  const pages = pagesOf<{ seq: number; id: string } & Aging>(pageSize, (last) =>
    agingMemories(on, last?.seq ?? 0, now),
  )
  for await (const page of pages) {
    for (const memory of page) {
      if (!isFaint(memory, now)) continue
      faded.push({ id: memory.id, now: confidenceAt(memory, now), expired: isExpired(memory, now) })
    }
    await nextTurn()
  }
  return faded.sort((a, b) => a.now - b.now || (a.id < b.id ? -1 : 1))
}

async function agingMemories(on: Reader, after: number, now: number) {
  const rows = await on.read<Omit<Aging, "details"> & { details: string; id: string; seq: number }>(sql`
    select m.seq as seq, m.id as id, m.type as type, m.source as source, m.created_at as "createdAt",
      m.verified_at as "verifiedAt", m.access_count as "accessCount", m.strength as strength,
      m.confidence as confidence, m.trust as trust, m.details as details
    from memories m where m.seq > ${after} and m.status = 'active'
      and (m.confidence < ${safeConfidence} or m.created_at < ${now - safeMs})
    order by m.seq limit ${pageSize}`)
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as MemoryDetails }))
}

/** What fades: `expired` goes at the next pruning, `faint` may be archived by hand. */
export interface Fading {
  expired: Memory[]
  faint: Memory[]
  /** How many there are of each, shown or not. */
  counts: { expired: number; faint: number }
}

/** Shows what fades, without changing anything. */
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

/**
 * Puts what has expired into the archive, the least believed first: one operation, which undo takes back. `spare` names
 * those that stay all the same.
 */
export async function pruneExpired(
  needs: Core,
  { limit, spare }: { limit: number; spare?: (on: Reader, ids: readonly string[]) => Promise<Set<string>> },
  by: By,
): Promise<Changed> {
  const faded = await findFaded(needs.db, needs.clock.now())
  const expired = faded.filter((one) => one.expired).map(({ id }) => id)
  const excluded = (await spare?.(needs.db, expired)) ?? new Set()
  const ids = expired.filter((id) => !excluded.has(id))
  return archiveFaded(needs, ids.slice(0, limit), isExpired, by)
}

/** Puts memories into the archive that are active and still as faded as the test says: one operation. */
export function archiveFaded(
  needs: Core,
  ids: readonly string[],
  isStill: (memory: Memory, at: number) => boolean,
  by: By,
): Promise<Changed> {
  return act(needs, by, { kinds: ["memory.archived"], about: [] }, async (transaction, at) => {
    const found = await findMemories(transaction, ids)
    // Somebody may have said one of them again meanwhile.
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
