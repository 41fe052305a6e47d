import type { Clock } from "../../base/clock.ts"
import { type Memory, reinforcementsKept } from "../../memory/model/memory.ts"
import { isSameScope } from "../../memory/model/scope.ts"
import { changeMemories } from "../../memory/model/store/change.ts"
import { changeEdges, type Edge, type EdgeChange, selectEdges } from "../../memory/model/store/graph.ts"
import { findMemories } from "../../memory/model/store/store.ts"
import type { Database } from "../../storage/database.ts"
import type { By } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Transaction } from "../../storage/transaction.ts"

export interface UpkeepNeeds {
  db: Database
  clock: Clock
}

/** What a look found out about memories. */
export interface Findings {
  /** Those that mattered together, best first. */
  relevant: readonly string[]
  /** Those that two votes of a model called beside the point. */
  irrelevant: readonly string[]
  /** Whether a model said so, or the gate alone. */
  judged: boolean
  session: string
}

/** At most so many links are made or strengthened after one look, and so many kept at one memory. */
const linksAtOnce = 3
const linksKept = 12
/** How strong a link is at first, by who saw the two together, and what seeing them again adds. */
const firstWeight = { judged: 0.4, gated: 0.25 }
const moreWeight = 0.1
const mostWeight = 0.9

/** What a verdict changes of how far a memory is believed. What is lowered never falls below the floor by this. */
const verified = 0.03
const doubted = 0.01
const floor = 0.3

/**
 * Small repairs after a look: what mattered together is linked, what was verified is believed a little more and counts as
 * fresh, what keeps proving relevant in new sessions grows stronger, what was called beside the point is believed a little
 * less. Being a candidate in vain costs nothing. These changes are bookkeeping: they do
 * not count as new versions of a memory, so that whoever changed it last can still undo that.
 */
export async function tidyUp(needs: UpkeepNeeds, findings: Findings, by: By): Promise<void> {
  const ids = [...findings.relevant, ...findings.irrelevant]
  if (ids.length === 0 || (!findings.judged && findings.relevant.length < 2)) return
  await needs.db.write(async (transaction) => {
    const at = needs.clock.now()
    const memories = await findMemories(transaction, ids)
    await changeEdges(transaction, await linkChanges(transaction, findings, memories, { at, by }))
    if (!findings.judged) return
    const relevant = standing(findings.relevant, memories)
    const irrelevant = standing(findings.irrelevant, memories)
    const changes = [
      ...relevant.map((before) => ({
        kind: "memory.verified" as const,
        before,
        after: proven(moved(before, verified), findings.session, at),
      })),
      ...irrelevant
        .map((before) => ({ kind: "memory.doubted" as const, before, after: moved(before, -doubted) }))
        .filter(({ before, after }) => before.confidence !== after.confidence),
    ]
    await changeMemories(
      transaction,
      changes.map((change) => ({ ...change, at, by })),
    )
  })
}

/** A memory that mattered in a session: the first time there leaves a breadcrumb and makes it stronger. */
function proven(memory: Memory, sessionId: string, at: number): Memory {
  const { reinforcements = [] } = memory.details
  const isKnown = reinforcements.some((one) => one.sessionId === sessionId)
  const crumbs = [...reinforcements, { at, sessionId }].slice(-reinforcementsKept)
  return {
    ...memory,
    verifiedAt: Math.max(at, memory.verifiedAt ?? 0),
    ...(isKnown
      ? {}
      : { strength: memory.strength + 1, details: { ...memory.details, reinforcements: crumbs } }),
  }
}

function standing(ids: readonly string[], memories: ReadonlyMap<string, Memory>): Memory[] {
  return ids.flatMap((id) => {
    const memory = memories.get(id)
    return memory?.status === "active" ? [memory] : []
  })
}

function moved(memory: Memory, by: number): Memory {
  const lowest = Math.min(memory.confidence, floor)
  const confidence = Math.min(1, Math.max(lowest, memory.confidence + by))
  return { ...memory, confidence: Math.round(confidence * 1e9) / 1e9 }
}

/** Links the best with what mattered beside it, as far as both belong to the same scope and have room. */
async function linkChanges(
  transaction: Transaction,
  { relevant, judged }: Findings,
  memories: ReadonlyMap<string, Memory>,
  { at, by }: { at: number; by: By },
): Promise<EdgeChange[]> {
  const pairs = pairsOf(standing(relevant, memories)).slice(0, linksAtOnce)
  if (pairs.length === 0) return []
  const ids = sqlList([...new Set(pairs.flat())])
  const edges = await selectEdges(
    transaction,
    sql`kind = 'relates-to' and (source in ${ids} or target in ${ids})`,
  )
  const degree = (id: string) => edges.filter(({ source, target }) => source === id || target === id).length
  return pairs.flatMap(([one, other]): EdgeChange[] => {
    const known = edges.find((edge) => joins(edge, one, other))
    if (known) {
      const weight = Math.min(mostWeight, Math.round((known.weight + moreWeight) * 1000) / 1000)
      return weight > known.weight ? [{ before: known, after: { ...known, weight }, at, by }] : []
    }
    if (degree(one) >= linksKept || degree(other) >= linksKept) return []
    const weight = judged ? firstWeight.judged : firstWeight.gated
    return [
      {
        before: null,
        after: { source: one, kind: "relates-to", target: other, weight, createdAt: at },
        at,
        by,
      },
    ]
  })
}

/** Every two of them, those that stand first before the others. */
function pairsOf(memories: readonly Memory[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let second = 1; second < memories.length; second += 1) {
    for (let first = 0; first < second; first += 1) {
      const one = memories[first]
      const other = memories[second]
      if (one && other && isSameScope(one, other)) pairs.push([one.id, other.id])
    }
  }
  return pairs
}

function joins({ source, target }: Edge, one: string, other: string): boolean {
  return (source === one && target === other) || (source === other && target === one)
}

/** Notes in the caller's transaction that memories were brought up. */
export async function noteUse(
  transaction: Transaction,
  ids: readonly string[],
  at: number,
  by: By,
): Promise<void> {
  const memories = await findMemories(transaction, ids)
  const changes = [...memories.values()].map((before) => ({
    kind: "memory.used" as const,
    before,
    after: {
      ...before,
      accessCount: before.accessCount + 1,
      accessedAt: Math.max(at, before.accessedAt ?? 0),
    },
    at,
    by,
  }))
  await changeMemories(transaction, changes)
}
