import { nextTurn } from "../../base/clock.ts"
import type { Database } from "../../storage/database.ts"
import type { By } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import { type ActNeeds, act, type Changed, changed } from "../act.ts"
import { isSamePlace, kinOf, wordingOf } from "../kin.ts"
import { type Memory, type Reinforcement, reinforcementsKept } from "../memory.ts"
import { findEitherWay } from "../standing.ts"
import { findMemories, selectMemories } from "../store.ts"

/** Two memories that say the same, of which one is to stay. */
export interface Duplicate {
  keep: string
  drop: string
}

/** How alike two memories must be before the garden takes one for the other. */
const leastAlike = 0.95
/** Memories looked at in one go, and neighbours of each. */
const pageSize = 400
const neighbours = 6

/** What a look for duplicates found, and how far it came. */
export interface Looked {
  duplicates: Duplicate[]
  /** Near each other, but rules do not call them the same. */
  open: { a: Memory; b: Memory }[]
  looked: number
  /** The number of the last memory that was looked at. */
  mark: number
  isDone: boolean
}

/** Looks for duplicates among the active memories after a mark. Opposites and whatever differs in a word that matters are none. */
export async function findDuplicates(
  db: Database,
  { model, after, most, signal }: { model: string; after: number; most: number; signal: AbortSignal },
): Promise<Looked> {
  const found: Looked = { duplicates: [], open: [], looked: 0, mark: after, isDone: false }
  const gone = new Set<string>()
  while (found.duplicates.length < most && !signal.aborted) {
    const page = await db.search.vectorsOf({
      model,
      where: sql`m.status = 'active'`,
      after: found.mark,
      limit: pageSize,
    })
    if (page.length === 0) return { ...found, isDone: true }
    const near = await db.search.nearestEach({
      model,
      vectors: page.map(({ vector }) => vector),
      where: sql`m.status = 'active'`,
      limit: neighbours,
      least: leastAlike,
    })
    const pairs = page.flatMap(({ id }, index) =>
      (near[index] ?? [])
        .filter((one) => one.id !== id)
        .map((one) => ({ a: id, b: one.id, score: one.score })),
    )
    await judge(db, pairs, gone, found)
    found.looked += page.length
    found.mark = page.at(-1)?.seq ?? found.mark
    await nextTurn()
  }
  return found
}

async function judge(
  db: Database,
  pairs: readonly { a: string; b: string; score: number }[],
  gone: Set<string>,
  found: Looked,
): Promise<void> {
  const known = await findMemories(db, [...new Set(pairs.flatMap(({ a, b }) => [a, b]))])
  const seen = new Set<string>()
  for (const { a, b, score } of pairs) {
    const [one, other] = [known.get(a), known.get(b)]
    const key = a < b ? `${a} ${b}` : `${b} ${a}`
    if (!one || !other || seen.has(key) || gone.has(a) || gone.has(b)) continue
    seen.add(key)
    if (one.type !== other.type || !isSamePlace(one, other)) continue
    const { relation } = kinOf(one, wordingOf(one.content), wordingOf(other.content), score)
    if (relation.kind === "same") {
      const [keep, drop] = inOrder(one, other)
      gone.add(drop.id)
      found.duplicates.push({ keep: keep.id, drop: drop.id })
    } else if (relation.kind !== "contradicts") found.open.push({ a: one, b: other })
  }
}

/** The one to keep first: the more trusted, then the stronger, then the older. */
function inOrder(a: Memory, b: Memory): [Memory, Memory] {
  const order =
    b.trust - a.trust || b.strength - a.strength || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
  return order <= 0 ? [a, b] : [b, a]
}

/** Merges duplicates: the kept one gains the other's strength and breadcrumbs, the other points to it. One operation. */
export function mergeDuplicates(needs: ActNeeds, pairs: readonly Duplicate[], by: By): Promise<Changed> {
  return act(
    needs,
    by,
    { kinds: ["memory.merged", "memory.superseded"], about: [] },
    async (transaction, at) => {
      const ids = pairs.flatMap(({ keep, drop }) => [keep, drop])
      const found = new Map(
        (await selectMemories(transaction, sql`m.id in ${sqlList(ids)}`)).map((one) => [one.id, one]),
      )
      const memories = []
      const edges = []
      for (const { keep, drop } of pairs) {
        const [kept, dropped] = [found.get(keep), found.get(drop)]
        // Somebody may have changed one of them meanwhile.
        if (kept?.status !== "active" || dropped?.status !== "active") continue
        if (await findEitherWay(transaction, keep, "contradicts", drop)) continue
        const stronger = changed(kept, at, {
          strength: kept.strength + dropped.strength,
          confidence: Math.max(kept.confidence, dropped.confidence),
          verifiedAt: later(kept.verifiedAt, dropped.verifiedAt),
          tags: [...new Set([...kept.tags, ...dropped.tags])],
          details: { ...kept.details, reinforcements: breadcrumbs(kept, dropped) },
        })
        const replaced = changed(dropped, at, { status: "superseded", supersededBy: keep })
        memories.push({ kind: "memory.merged" as const, before: kept, after: stronger })
        memories.push({ kind: "memory.superseded" as const, before: dropped, after: replaced })
        edges.push({
          before: null,
          after: { source: keep, kind: "supersedes" as const, target: drop, weight: 1, createdAt: at },
        })
        found.set(keep, stronger)
        found.set(drop, replaced)
      }
      return { memories, edges }
    },
  )
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

/** Where both were said, the dropped one's own beginning among them. */
function breadcrumbs(kept: Memory, dropped: Memory): Reinforcement[] {
  const { createdAt, sessionId, messageIndex } = dropped
  const own: Reinforcement = {
    at: createdAt,
    ...(sessionId === null ? {} : { sessionId }),
    ...(messageIndex === null ? {} : { messageIndex }),
  }
  return [...(kept.details.reinforcements ?? []), ...(dropped.details.reinforcements ?? []), own]
    .toSorted((a, b) => a.at - b.at)
    .slice(-reinforcementsKept)
}
