import { UserError } from "../../../base/errors.ts"
import type { Core } from "../../../storage/core.ts"
import type { By, JournalEntry, JournalKind } from "../../../storage/journal.ts"
import { earlierResult } from "../../../storage/operation.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { isAgent, isFromUser } from "../../model/agents/agents.ts"
import type { Memory } from "../../model/memory.ts"
import { changeMemories } from "../../model/store/change.ts"
import { changeEdges, type Edge, type EdgeKind, openKinds } from "../../model/store/graph.ts"
import { findMemories } from "../../model/store/store.ts"

/** An edge before and after a change. */
export interface EdgeImages {
  before: Edge | null
  after: Edge | null
  /** The version of the trained model that proposed it, if one did. */
  judge?: string | undefined
}

/** A memory before and after a change; null before for a new one. */
export interface MemoryImages {
  kind: JournalKind
  before: Memory | null
  after: Memory
}

/** What an operation will change. */
export interface Changes {
  memories?: MemoryImages[]
  edges?: EdgeImages[]
}

/** What an operation changed; the same result when the operation is sent again. */
export interface ChangeResult {
  operation: string
  /** The memories after the operation, each once. */
  memories: Memory[]
  edges: EdgeImages[]
}

/** How to recognise the entries of an operation that is sent again. */
export interface OperationMatch {
  kinds: readonly string[]
  /** The ids in the request; each may be a part of an id. */
  about: readonly string[]
}

/** Changes memories and edges in one transaction. An operation that is sent again changes nothing. */
export async function runOperation(
  { db, clock }: Core,
  by: By,
  same: OperationMatch,
  work: (transaction: Transaction, at: number) => Promise<Changes>,
): Promise<ChangeResult> {
  return db.write(async (transaction) => {
    const earlier = await earlierOperation(transaction, by, same)
    if (earlier) return earlier
    const at = clock.now()
    const { memories = [], edges = [] } = await work(transaction, at)
    if (isAgent(by)) await refuseLinksToAgent(transaction, edges)
    await applyChanges(transaction, { memories, edges }, at, by)
    return resultOf(
      by.operation,
      memories.map(({ after }) => after),
      edges,
    )
  })
}

/** Agents may not decide what replaces or contradicts the user's memories, and may not remove such links. */
async function refuseLinksToAgent(transaction: Transaction, edges: readonly EdgeImages[]): Promise<void> {
  const deciding = edges.filter(({ before, after }) => isDeciding(before ?? after))
  if (deciding.some(({ after }) => after === null))
    throw new UserError(
      "refused",
      "Not done: only the user may remove a link that says what replaces or contradicts what.",
    )
  const ends = deciding.flatMap(({ after }) => (after ? [after.source, after.target] : []))
  const person = [...(await findMemories(transaction, ends)).values()].find(isFromUser)
  if (person === undefined) return
  const advice = `they can run \`reverie memory link\`.`
  throw new UserError(
    "refused",
    `Not done: ${person.id} is from the user, and only they decide about it; ${advice}`,
  )
}

function isDeciding(edge: Edge | null): boolean {
  return edge?.kind === "supersedes" || openKinds.some((kind) => kind === edge?.kind)
}

/** The result of this operation if it was done before; an operation id that was used for something else is refused. */
function earlierOperation(
  transaction: Transaction,
  by: By,
  { kinds, about }: OperationMatch,
): Promise<ChangeResult | undefined> {
  const isEdge = (entry: JournalEntry) => entry.kind.startsWith("edge.")
  return earlierResult(transaction, by, {
    limit: 10_000,
    read(entries) {
      const ours = entries.filter(({ kind }) => !kind.startsWith("project."))
      const areOurs = ours.every((entry) => kinds.includes(entry.kind) || isEdge(entry))
      if (!areOurs || !isAbout(ours, about)) return undefined
      const memories = ours.filter((entry) => !isEdge(entry)).map(({ data }) => (data as Images).after)
      const edges = ours.filter(isEdge).map(({ data }) => data as EdgeImages)
      return resultOf(by.operation, memories, edges)
    },
  })
}

interface Images {
  after: Memory
}

/** Whether entries concern at least one of the ids or parts of ids. */
function isAbout(entries: readonly JournalEntry[], ids: readonly string[]): boolean {
  const touched = entries.flatMap(({ subject, data }) => {
    const edge = (data as EdgeImages).after ?? (data as EdgeImages).before
    return [subject ?? "", edge?.target ?? ""]
  })
  return ids.length === 0 || ids.some((id) => touched.some((one) => one.startsWith(id) || one.endsWith(id)))
}

function resultOf(operation: string, memories: Memory[], edges: EdgeImages[]): ChangeResult {
  const last = new Map(memories.map((memory) => [memory.id, memory]))
  return { operation, memories: [...last.values()], edges }
}

/** The next version of a memory. */
export function changed(memory: Memory, at: number, change: Partial<Memory>): Memory {
  return { ...memory, ...change, version: memory.version + 1, updatedAt: at }
}

/** A new edge. */
export function addedEdge(
  source: string,
  kind: EdgeKind,
  target: string,
  at: number,
  weight = 1,
): { before: null; after: Edge } {
  return { before: null, after: { source, kind, target, weight, createdAt: at } }
}

/** The removal of edges. */
export function removed(edges: readonly Edge[]): EdgeImages[] {
  return edges.map((before) => ({ before, after: null }))
}

/** Writes changes with their journal entries. */
export async function applyChanges(
  transaction: Transaction,
  { memories = [], edges = [] }: Changes,
  at: number,
  by: By,
): Promise<void> {
  await changeMemories(
    transaction,
    memories.map((change) => ({ ...change, at, by })),
  )
  await changeEdges(
    transaction,
    edges.map((edge) => ({ ...edge, at, by })),
  )
}
