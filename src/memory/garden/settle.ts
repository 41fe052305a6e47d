import { relate } from "../../language/compare/relate.ts"
import type { Core } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { isAgentsNote, isPersons } from "../model/agents/agents.ts"
import {
  cleanTags,
  type Memory,
  type Reinforcement,
  reinforcementsKept,
  tidyDetails,
} from "../model/memory.ts"
import { type Edge, edgesAt, linkKinds, openKinds } from "../model/store/graph.ts"
import { findMemories } from "../model/store/store.ts"
import { act, type Changed, type Changes, changed, type EdgeImages } from "../write/change/operation.ts"
import { mergedDetails, mergedText } from "../write/compare/merge.ts"
import { broughtBack } from "./brought-back.ts"

/** Two memories that say the same, of which one is to stay. */
export interface Duplicate {
  keep: Memory
  drop: Memory
}

/**
 * Merges duplicates: the kept one gains the other's strength, breadcrumbs and whatever only the other said, and comes
 * from both; the other points to it. One operation.
 */
export function mergeDuplicates(
  needs: Core & { longestText?: number | undefined },
  pairs: readonly Duplicate[],
  by: By,
): Promise<Changed> {
  const kinds = ["memory.merged", "memory.superseded"]
  return act(needs, by, { kinds, about: [] }, async (transaction, at) => {
    const now = await standingNow(
      transaction,
      pairs.map(({ keep, drop }) => [keep, drop]),
    )
    const memories: Changes["memories"] = []
    const edges: EdgeImages[] = []
    for (const { keep, drop } of pairs) {
      const [kept, dropped] = [now.find(keep), now.find(drop)]
      if (!kept || !dropped || now.mayNotGo(drop) || now.areLinked(keep, drop, openKinds)) continue
      const stronger = changed(kept, at, gainedBy(kept, dropped, needs.longestText))
      const replaced = changed(dropped, at, { status: "superseded", supersededBy: keep.id })
      memories.push({ kind: "memory.merged", before: kept, after: stronger })
      memories.push({ kind: "memory.superseded", before: dropped, after: replaced })
      edges.push(supersedes(kept, dropped, at), derivedFrom(kept, dropped, at))
      now.put(stronger)
      now.put(replaced)
    }
    return { memories, edges }
  })
}

/** Lets newer memories replace what they oppose. One operation. */
export function supersedeOpposed(
  needs: Core,
  pairs: readonly { winner: Memory; loser: Memory }[],
  by: By,
): Promise<Changed> {
  return act(needs, by, { kinds: ["memory.superseded"], about: [] }, async (transaction, at) => {
    const now = await standingNow(
      transaction,
      pairs.map(({ winner, loser }) => [winner, loser]),
    )
    const memories: Changes["memories"] = []
    const edges: EdgeImages[] = []
    for (const { winner, loser } of pairs) {
      const [wins, loses] = [now.find(winner), now.find(loser)]
      // Where a conflict is known, somebody left it open on purpose.
      if (!wins || !loses || now.mayNotGo(loser) || now.areLinked(winner, loser, ["contradicts"])) continue
      const replaced = changed(loses, at, { status: "superseded", supersededBy: wins.id })
      memories.push({ kind: "memory.superseded", before: loses, after: replaced })
      edges.push(supersedes(wins, loses, at))
      now.put(replaced)
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
  /** The version of the trained model it rests on, where it does. */
  judge?: string
}

/** A memory has no more related ones than this by the garden's doing. */
const mostRelated = 5

/** Links memories that are not linked yet. One operation. */
export function linkAll(needs: Core, links: readonly NewLink[], by: By): Promise<Changed> {
  return act(needs, by, { kinds: [], about: [] }, async (transaction, at) => {
    const now = await standingNow(
      transaction,
      links.map(({ from, to }) => [from, to]),
    )
    const edges: EdgeImages[] = []
    for (const link of links) {
      if (!canLink(now, link)) continue
      const { kind, from, to, weight, judge } = link
      const after: Edge = { source: from.id, kind, target: to.id, weight, createdAt: at }
      edges.push({ before: null, after, judge })
      now.link(after)
    }
    return { edges }
  })
}

/** Whether both ends stand, are not linked yet, and have room for a link of this kind. */
function canLink(now: Standing, { kind, from, to }: NewLink): boolean {
  if (!now.find(from) || !now.find(to)) return false
  const isRelation = kind === "relates-to"
  if (now.areLinked(from, to, isRelation ? linkKinds : [...openKinds, "supersedes"])) return false
  return !isRelation || [from, to].every((end) => now.countRelated(end) < mostRelated)
}

type Standing = Awaited<ReturnType<typeof standingNow>>

/** What stands at this moment of some memories: others may have acted since they were read. */
async function standingNow(transaction: Transaction, pairs: readonly (readonly [Memory, Memory])[]) {
  const ids = [...new Set(pairs.flatMap(([a, b]) => [a.id, b.id]))]
  const found = await findMemories(transaction, ids)
  const excluded = await broughtBack(transaction, ids)
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
    /** The memory as it is, if it is active and says what it said. */
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

function supersedes(winner: Memory, loser: Memory, at: number): EdgeImages {
  const edge = { source: winner.id, kind: "supersedes" as const, target: loser.id, weight: 1 }
  return { before: null, after: { ...edge, createdAt: at } }
}

/** That a memory holds what another one said. */
function derivedFrom(memory: Memory, from: Memory, at: number): EdgeImages {
  const edge = { source: memory.id, kind: "derived-from" as const, target: from.id, weight: 1 }
  return { before: null, after: { ...edge, createdAt: at } }
}

/** What a memory gains by another that says the same. */
function gainedBy(kept: Memory, dropped: Memory, longest: number | undefined): Partial<Memory> {
  const reinforcements = breadcrumbs(kept, dropped)
  // An agent's note makes nothing that others said surer, nor does it bring it up elsewhere.
  if (isAgentsNote(dropped) && !isAgentsNote(kept))
    return { details: tidyDetails({ ...kept.details, reinforcements }) }
  return {
    content: contentAfter(kept, dropped, longest),
    strength: kept.strength + dropped.strength,
    confidence: Math.max(kept.confidence, dropped.confidence),
    verifiedAt: later(kept.verifiedAt, dropped.verifiedAt),
    tags: cleanTags([...kept.tags, ...dropped.tags]),
    triggers: [...new Set([...kept.triggers, ...dropped.triggers])],
    details: tidyDetails({ ...mergedDetails(kept.details, dropped.details), reinforcements }),
  }
}

/** What a memory says once another is merged into it. What a person said is not worded anew by what others add to it. */
export function contentAfter(kept: Memory, dropped: Memory, longest: number | undefined): string {
  const isTheirs = isPersons(kept) && !isPersons(dropped)
  const isSame = isTheirs || relate(kept.content, dropped.content, {}).kind === "same"
  return isSame ? kept.content : mergedText(kept, dropped, longest)
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
