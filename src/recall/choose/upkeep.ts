import { type Memory, maxReinforcements } from "../../memory/model/memory.ts"
import { isSameScope } from "../../memory/model/scope.ts"
import { changeMemories } from "../../memory/model/store/change.ts"
import { changeEdges, type Edge, type EdgeChange, selectEdges } from "../../memory/model/store/graph.ts"
import { findMemories } from "../../memory/model/store/store.ts"
import type { Core } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Transaction } from "../../storage/transaction.ts"

/** What a search found out about memories. */
export interface Findings {
  /** Ids, best first. */
  relevant: readonly string[]
  /** Those that both votes of the judge called irrelevant. */
  irrelevant: readonly string[]
  /** Whether the judge chose, or the gate. */
  judged: boolean
  session: string
}

/** Links made or strengthened after one search, and links of one memory, at most. */
const linksAtOnce = 3
const mostLinks = 12
/** The weight of a new link, by who chose, and what each further search adds. */
const firstWeight = { judged: 0.4, gated: 0.25 }
const moreWeight = 0.1
const mostWeight = 0.9

/** What a verdict adds to or takes from a memory's confidence. It does not lower it below the floor. */
const verified = 0.03
const doubted = 0.01
const floor = 0.3

/**
 * Updates memories after a search: links what was relevant together; raises the confidence, and in a new session the
 * strength, of what the judge called relevant; lowers the confidence of what it called irrelevant. These changes do not
 * count as new versions of a memory, so that its last change can still be undone.
 */
export async function updateAfterSearch(
  needs: Pick<Core, "db" | "clock">,
  findings: Findings,
  by: By,
): Promise<void> {
  const ids = [...findings.relevant, ...findings.irrelevant]
  if (ids.length === 0 || (!findings.judged && findings.relevant.length < 2)) return
  await needs.db.write(async (transaction) => {
    const at = needs.clock.now()
    const memories = await findMemories(transaction, ids)
    await changeEdges(transaction, await linkChanges(transaction, findings, memories, { at, by }))
    if (!findings.judged) return
    const relevant = activeOf(findings.relevant, memories)
    const irrelevant = activeOf(findings.irrelevant, memories)
    const changes = [
      ...relevant.map((before) => ({
        kind: "memory.verified" as const,
        before,
        after: confirmedIn(withConfidence(before, verified), findings.session, at),
      })),
      ...irrelevant
        .map((before) => ({
          kind: "memory.doubted" as const,
          before,
          after: withConfidence(before, -doubted),
        }))
        .filter(({ before, after }) => before.confidence !== after.confidence),
    ]
    await changeMemories(
      transaction,
      changes.map((change) => ({ ...change, at, by })),
    )
  })
}

/** A memory that was relevant in a session: the first time there adds a reinforcement and strength. */
function confirmedIn(memory: Memory, sessionId: string, at: number): Memory {
  const { reinforcements = [] } = memory.details
  const isKnown = reinforcements.some((one) => one.sessionId === sessionId)
  const added = [...reinforcements, { at, sessionId }].slice(-maxReinforcements)
  return {
    ...memory,
    verifiedAt: Math.max(at, memory.verifiedAt ?? 0),
    ...(isKnown
      ? {}
      : { strength: memory.strength + 1, details: { ...memory.details, reinforcements: added } }),
  }
}

function activeOf(ids: readonly string[], memories: ReadonlyMap<string, Memory>): Memory[] {
  return ids.flatMap((id) => {
    const memory = memories.get(id)
    return memory?.status === "active" ? [memory] : []
  })
}

function withConfidence(memory: Memory, by: number): Memory {
  const lowest = Math.min(memory.confidence, floor)
  const confidence = Math.min(1, Math.max(lowest, memory.confidence + by))
  return { ...memory, confidence: Math.round(confidence * 1e9) / 1e9 }
}

/** Links the best of the relevant memories, if they have the same scope and not too many links. */
async function linkChanges(
  transaction: Transaction,
  { relevant, judged }: Findings,
  memories: ReadonlyMap<string, Memory>,
  { at, by }: { at: number; by: By },
): Promise<EdgeChange[]> {
  const pairs = pairsOf(activeOf(relevant, memories)).slice(0, linksAtOnce)
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
    if (degree(one) >= mostLinks || degree(other) >= mostLinks) return []
    const weight = judged ? firstWeight.judged : firstWeight.gated
    const after: Edge = { source: one, kind: "relates-to", target: other, weight, createdAt: at }
    return [{ before: null, after, at, by }]
  })
}

/** Every pair, those of the best memories first. */
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

/** Counts memories as used. */
export async function countUse(
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
