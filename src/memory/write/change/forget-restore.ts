import type { Core } from "../../../storage/core.ts"
import type { By } from "../../../storage/journal.ts"
import { sql } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import type { Memory } from "../../model/memory.ts"
import { requireMemory } from "../../model/store/browse.ts"
import { type Edge, findEdge, openEdgesBetween, selectEdges } from "../../model/store/graph.ts"
import { withParts } from "../../model/store/parts-of-text.ts"
import { findMemory } from "../../model/store/store.ts"
import { promotedKind } from "../compare/quarantine.ts"
import { act, type Changed, changed, type EdgeImages } from "./operation.ts"

/** Puts memories aside: nothing finds them any more, `restore` and undo bring them back. All parts of a text go together. */
export function forget(needs: Core, ids: readonly string[], by: By): Promise<Changed> {
  return act(needs, by, { kinds: ["memory.forgotten"], about: ids }, async (transaction, at) => {
    const found = await withParts(transaction, await requireAll(transaction, ids))
    return aside(
      found.filter(({ status }) => status !== "forgotten"),
      "forgotten",
      at,
    )
  })
}

/** Puts active memories into the archive: like forgetting, but not because the user wanted it. */
export function archive(needs: Core, ids: readonly string[], by: By): Promise<Changed> {
  return act(needs, by, { kinds: ["memory.archived"], about: ids }, async (transaction, at) => {
    const found = await requireAll(transaction, ids)
    return aside(
      found.filter(({ status }) => status === "active"),
      "archived",
      at,
    )
  })
}

function aside(memories: readonly Memory[], status: "forgotten" | "archived", at: number) {
  const kind = `memory.${status}` as const
  return { memories: memories.map((before) => ({ kind, before, after: changed(before, at, { status }) })) }
}

/**
 * Makes forgotten, archived, superseded and quarantined memories active again. What had replaced one stays too, and both are shown
 * as a conflict until somebody decides.
 */
export function restore(needs: Core, ids: readonly string[], by: By): Promise<Changed> {
  return act(needs, by, { kinds: ["memory.restored", promotedKind], about: ids }, async (transaction, at) => {
    const found = await withParts(transaction, await requireAll(transaction, ids))
    const gone = found.filter(({ status }) => status !== "active")
    const edges: EdgeImages[] = []
    for (const memory of gone) edges.push(...(await reopened(transaction, memory, at)))
    return {
      memories: gone.map((before) => ({
        kind: before.status === "quarantined" ? promotedKind : ("memory.restored" as const),
        before,
        after: changed(before, at, { status: "active", supersededBy: null }),
      })),
      edges,
    }
  })
}

/** Memories by their ids or parts of them, each once. */
export async function requireAll(transaction: Transaction, ids: readonly string[]): Promise<Memory[]> {
  const found = new Map<string, Memory>()
  for (const id of ids) {
    const memory = await requireMemory(transaction, id)
    found.set(memory.id, memory)
  }
  return [...found.values()]
}

/** The edges that say a memory is replaced go; one that says it contradicts what replaced it comes. */
async function reopened(transaction: Transaction, memory: Memory, at: number): Promise<EdgeImages[]> {
  if (memory.supersededBy === null) return []
  const replaced = await selectEdges(transaction, sql`kind = 'supersedes' and target = ${memory.id}`)
  const removed = replaced.map((before) => ({ before, after: null }))
  const standing = await standingFor(transaction, memory)
  if (standing === undefined) return removed
  const known = await openEdgesBetween(transaction, standing.id, memory.id)
  if (known.length > 0 || areCompatible(memory, standing)) return removed
  const edge = { source: standing.id, kind: "contradicts" as const, target: memory.id, weight: 1 }
  return [...removed, { before: null, after: { ...edge, createdAt: at } }]
}

/** Whether somebody decided that both hold. */
export function areCompatible(a: Memory, b: Memory): boolean {
  const names = (one: Memory, other: Memory) => one.details.compatibleWith?.includes(other.id) ?? false
  return names(a, b) && names(b, a)
}

/** What replaced a superseded memory at last. */
async function standingFor(on: Reader, memory: Memory): Promise<Memory | undefined> {
  const seen = new Set([memory.id])
  let current: Memory | undefined = memory
  while (current?.supersededBy && !seen.has(current.supersededBy)) {
    seen.add(current.supersededBy)
    current = await findMemory(on, current.supersededBy)
  }
  return current === memory ? undefined : current
}

/** An edge of a kind that means the same read either way. */
export async function findEitherWay(
  on: Reader,
  a: string,
  kind: Edge["kind"],
  b: string,
): Promise<Edge | undefined> {
  return (
    (await findEdge(on, { source: a, kind, target: b })) ??
    (await findEdge(on, { source: b, kind, target: a }))
  )
}
