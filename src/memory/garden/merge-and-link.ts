import { relate } from "../../language/compare/relate.ts"
import type { Core } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { isAgentNote, isFromUser } from "../model/agents/agents.ts"
import {
  cleanTags,
  type Memory,
  maxReinforcements,
  normalizeDetails,
  type Reinforcement,
} from "../model/memory.ts"
import { type Edge, edgesAt, linkKinds, openKinds } from "../model/store/graph.ts"
import { findMemories } from "../model/store/store.ts"
import { superseded } from "../write/change/link.ts"
import {
  addedEdge,
  type ChangeResult,
  type Changes,
  changed,
  type EdgeImages,
  runOperation,
} from "../write/change/operation.ts"
import { mergedDetails, mergedText } from "../write/compare/merge.ts"
import { restoredBefore } from "./excluded.ts"

/** Two memories that say the same. */
export interface Duplicate {
  keep: Memory
  drop: Memory
}

/**
 * Merges duplicates in one operation: the kept one gains the other's strength, reinforcements and what only the other
 * said; the other is superseded by it.
 */
export function mergeDuplicates(
  needs: Core & { longestText?: number | undefined },
  pairs: readonly Duplicate[],
  by: By,
): Promise<ChangeResult> {
  const kinds = ["memory.merged", "memory.superseded"]
  return runOperation(needs, by, { kinds, about: [] }, async (transaction, at) => {
    const now = await readCurrent(
      transaction,
      pairs.map(({ keep, drop }) => [keep, drop]),
    )
    const memories: Changes["memories"] = []
    const edges: EdgeImages[] = []
    for (const { keep, drop } of pairs) {
      const [kept, dropped] = [now.find(keep), now.find(drop)]
      if (!kept || !dropped || now.mayNotGo(drop) || now.areLinked(keep, drop, openKinds)) continue
      const stronger = changed(kept, at, gainedBy(kept, dropped, needs.longestText))
      const replaced = superseded(keep.id, dropped, at)
      memories.push({ kind: "memory.merged", before: kept, after: stronger }, replaced)
      edges.push(addedEdge(keep.id, "supersedes", drop.id, at))
      edges.push(addedEdge(keep.id, "derived-from", drop.id, at))
      now.put(stronger)
      now.put(replaced.after)
    }
    return { memories, edges }
  })
}

/** Lets newer memories supersede those they contradict, in one operation. */
export function supersedeOpposed(
  needs: Core,
  pairs: readonly { winner: Memory; loser: Memory }[],
  by: By,
): Promise<ChangeResult> {
  return runOperation(needs, by, { kinds: ["memory.superseded"], about: [] }, async (transaction, at) => {
    const now = await readCurrent(
      transaction,
      pairs.map(({ winner, loser }) => [winner, loser]),
    )
    const memories: Changes["memories"] = []
    const edges: EdgeImages[] = []
    for (const { winner, loser } of pairs) {
      const [wins, loses] = [now.find(winner), now.find(loser)]
      // A known conflict was left open on purpose.
      if (!wins || !loses || now.mayNotGo(loser) || now.areLinked(winner, loser, ["contradicts"])) continue
      const replaced = superseded(wins.id, loses, at)
      memories.push(replaced)
      edges.push(addedEdge(wins.id, "supersedes", loses.id, at))
      now.put(replaced.after)
    }
    return { memories, edges }
  })
}

/** A link to be made between two memories. */
export interface NewLink {
  kind: "contradicts" | "may-replace" | "relates-to"
  from: Memory
  to: Memory
  weight: number
  /** The version of the trained model that proposed it, if one did. */
  judge?: string
}

/** The garden gives a memory at most this many relates-to links. */
const mostRelated = 5

/** Links memories that are not linked yet, in one operation. */
export function linkMemories(needs: Core, links: readonly NewLink[], by: By): Promise<ChangeResult> {
  return runOperation(needs, by, { kinds: [], about: [] }, async (transaction, at) => {
    const now = await readCurrent(
      transaction,
      links.map(({ from, to }) => [from, to]),
    )
    const edges: EdgeImages[] = []
    for (const link of links) {
      if (!canLink(now, link)) continue
      const { kind, from, to, weight, judge } = link
      const edge = addedEdge(from.id, kind, to.id, at, weight)
      edges.push({ ...edge, judge })
      now.link(edge.after)
    }
    return { edges }
  })
}

/** Whether both ends are current, not linked yet, and below the limit of links of this kind. */
function canLink(now: CurrentPairs, { kind, from, to }: NewLink): boolean {
  if (!now.find(from) || !now.find(to)) return false
  const isRelation = kind === "relates-to"
  if (now.areLinked(from, to, isRelation ? linkKinds : [...openKinds, "supersedes"])) return false
  return !isRelation || [from, to].every((end) => now.countRelated(end) < mostRelated)
}

type CurrentPairs = Awaited<ReturnType<typeof readCurrent>>

/** Reads some memories again inside the transaction: they may have changed since they were compared. */
async function readCurrent(transaction: Transaction, pairs: readonly (readonly [Memory, Memory])[]) {
  const ids = [...new Set(pairs.flatMap(([a, b]) => [a.id, b.id]))]
  const found = await findMemories(transaction, ids)
  const excluded = await restoredBefore(transaction, ids)
  const edges = await edgesAt(transaction, ids, linkKinds)
  const between = new Map<string, Edge[]>()
  const related = new Map<string, number>()
  const link = (edge: Edge) => {
    const key = pairKey(edge.source, edge.target)
    between.set(key, [...(between.get(key) ?? []), edge])
    if (edge.kind !== "relates-to") return
    for (const end of [edge.source, edge.target]) related.set(end, (related.get(end) ?? 0) + 1)
  }
  edges.forEach(link)
  return {
    /** The memory as it is now, if it is active and its text is unchanged. */
    find({ id, content }: Memory): Memory | undefined {
      const memory = found.get(id)
      return memory?.status === "active" && memory.content === content ? memory : undefined
    },
    put: (memory: Memory) => void found.set(memory.id, memory),
    mayNotGo: ({ id }: Memory) => excluded.has(id),
    areLinked: (a: Memory, b: Memory, kinds: readonly Edge["kind"][]) =>
      (between.get(pairKey(a.id, b.id)) ?? []).some(({ kind }) => kinds.includes(kind)),
    countRelated: ({ id }: Memory) => related.get(id) ?? 0,
    link,
  }
}

function pairKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`
}

/** What a memory takes over from a duplicate. */
function gainedBy(kept: Memory, dropped: Memory, longest: number | undefined): Partial<Memory> {
  const reinforcements = joinedReinforcements(kept, dropped)
  // An agent's note does not raise the confidence of what others said, nor add tags or triggers.
  if (isAgentNote(dropped) && !isAgentNote(kept))
    return { details: normalizeDetails({ ...kept.details, reinforcements }) }
  return {
    content: contentAfter(kept, dropped, longest),
    strength: kept.strength + dropped.strength,
    confidence: Math.max(kept.confidence, dropped.confidence),
    verifiedAt: later(kept.verifiedAt, dropped.verifiedAt),
    tags: cleanTags([...kept.tags, ...dropped.tags]),
    triggers: [...new Set([...kept.triggers, ...dropped.triggers])],
    details: normalizeDetails({ ...mergedDetails(kept.details, dropped.details), reinforcements }),
  }
}

/** A memory's text after a duplicate is merged into it. The text of a user's memory changes only by another of theirs. */
export function contentAfter(kept: Memory, dropped: Memory, longest: number | undefined): string {
  const isUsers = isFromUser(kept) && !isFromUser(dropped)
  const isSame = isUsers || relate(kept.content, dropped.content).kind === "same"
  return isSame ? kept.content : mergedText(kept, dropped, longest)
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

/** The reinforcements of both, and where the dropped one was first said. */
function joinedReinforcements(kept: Memory, dropped: Memory): Reinforcement[] {
  const { createdAt, sessionId, messageIndex } = dropped
  const own: Reinforcement = {
    at: createdAt,
    ...(sessionId === null ? {} : { sessionId }),
    ...(messageIndex === null ? {} : { messageIndex }),
  }
  return [...(kept.details.reinforcements ?? []), ...(dropped.details.reinforcements ?? []), own]
    .toSorted((a, b) => a.at - b.at)
    .slice(-maxReinforcements)
}
