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
import { addedEdge, type ChangeResult, changed, type EdgeImages, removed, runOperation } from "./operation.ts"

/** Hides memories from search until `restore` or undo. All parts of a text are hidden together. */
export function forget(needs: Core, ids: readonly string[], by: By): Promise<ChangeResult> {
  return runOperation(needs, by, { kinds: ["memory.forgotten"], about: ids }, async (transaction, at) => {
    const found = await withParts(transaction, await requireAll(transaction, ids))
    return hide(
      found.filter(({ status }) => status !== "forgotten"),
      "forgotten",
      at,
    )
  })
}

/** Archives active memories: like forgetting, but not at the user's request. */
export function archive(needs: Core, ids: readonly string[], by: By): Promise<ChangeResult> {
  return runOperation(needs, by, { kinds: ["memory.archived"], about: ids }, async (transaction, at) => {
    const found = await requireAll(transaction, ids)
    return hide(
      found.filter(({ status }) => status === "active"),
      "archived",
      at,
    )
  })
}

function hide(memories: readonly Memory[], status: "forgotten" | "archived", at: number) {
  const kind = `memory.${status}` as const
  return { memories: memories.map((before) => ({ kind, before, after: changed(before, at, { status }) })) }
}

/** Makes hidden and quarantined memories active again. A memory that had replaced one stays active: the two are a conflict. */
export function restore(needs: Core, ids: readonly string[], by: By): Promise<ChangeResult> {
  return runOperation(
    needs,
    by,
    { kinds: ["memory.restored", promotedKind], about: ids },
    async (transaction, at) => {
      const found = await withParts(transaction, await requireAll(transaction, ids))
      const hidden = found.filter(({ status }) => status !== "active")
      const edges: EdgeImages[] = []
      for (const memory of hidden) edges.push(...(await reopened(transaction, memory, at)))
      return {
        memories: hidden.map((before) => ({
          kind: before.status === "quarantined" ? promotedKind : ("memory.restored" as const),
          before,
          after: changed(before, at, { status: "active", supersededBy: null }),
        })),
        edges,
      }
    },
  )
}

/** Memories by their ids or parts of ids, each once. */
export async function requireAll(transaction: Transaction, ids: readonly string[]): Promise<Memory[]> {
  const found = new Map<string, Memory>()
  for (const id of ids) {
    const memory = await requireMemory(transaction, id)
    found.set(memory.id, memory)
  }
  return [...found.values()]
}

/** The edges of a restored memory: it is no longer replaced, and contradicts what had replaced it. */
async function reopened(transaction: Transaction, memory: Memory, at: number): Promise<EdgeImages[]> {
  if (memory.supersededBy === null) return []
  const replaced = await selectEdges(transaction, sql`kind = 'supersedes' and target = ${memory.id}`)
  const replacement = await currentReplacement(transaction, memory)
  if (replacement === undefined) return removed(replaced)
  const open = await openEdgesBetween(transaction, replacement.id, memory.id)
  if (open.length > 0 || areCompatible(memory, replacement)) return removed(replaced)
  return [...removed(replaced), addedEdge(replacement.id, "contradicts", memory.id, at)]
}

/** Whether somebody decided that both are true. */
export function areCompatible(a: Memory, b: Memory): boolean {
  const names = (one: Memory, other: Memory) => one.details.compatibleWith?.includes(other.id) ?? false
  return names(a, b) && names(b, a)
}

/** The end of the chain of replacements of a memory. */
async function currentReplacement(on: Reader, memory: Memory): Promise<Memory | undefined> {
  const seen = new Set([memory.id])
  let current: Memory | undefined = memory
  while (current?.supersededBy && !seen.has(current.supersededBy)) {
    seen.add(current.supersededBy)
    current = await findMemory(on, current.supersededBy)
  }
  return current === memory ? undefined : current
}

/** An edge in either direction. */
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
