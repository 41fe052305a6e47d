import { UserError } from "../../../base/errors.ts"
import type { Core } from "../../../storage/core.ts"
import type { By, JournalEntry, JournalKind } from "../../../storage/journal.ts"
import { earlierResult } from "../../../storage/operation.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { isAgent, isPersons } from "../../model/agents/agents.ts"
import type { Memory } from "../../model/memory.ts"
import { changeMemories } from "../../model/store/change.ts"
import { changeEdges, type Edge, openKinds } from "../../model/store/graph.ts"
import { findMemories } from "../../model/store/store.ts"

/** An edge as it was and as it is. */
export interface EdgeImages {
  before: Edge | null
  after: Edge | null
  /** The version of the trained model it rests on, where it does. */
  judge?: string | undefined
}

/** What an act is to change. */
export interface Changes {
  /** A new memory has nothing before it. */
  memories?: { kind: JournalKind; before: Memory | null; after: Memory }[]
  edges?: EdgeImages[]
}

/** What an act changed; the same when it is sent again. */
export interface Changed {
  operation: string
  /** The memories as the act left them, each once. */
  memories: Memory[]
  edges: EdgeImages[]
}

/** Which entries an act may have written before, to know it again. */
export interface Recognised {
  kinds: readonly string[]
  /** The ids it was asked about, as they were given. */
  about: readonly string[]
}

/** Changes memories and edges together as one operation, once: an operation that is sent again is not done again. */
export async function act(
  { db, clock }: Core,
  by: By,
  same: Recognised,
  work: (transaction: Transaction, at: number) => Promise<Changes>,
): Promise<Changed> {
  return db.write(async (transaction) => {
    const earlier = await earlierAct(transaction, by, same)
    if (earlier) return earlier
    const at = clock.now()
    const { memories = [], edges = [] } = await work(transaction, at)
    if (isAgent(by)) await refuseLinksToAgent(transaction, edges)
    await applyChanges(transaction, { memories, edges }, at, by)
    return changedBy(
      by.operation,
      memories.map(({ after }) => after),
      edges,
    )
  })
}

/** What replaces or contradicts the person's word is the person's to say, and so is that something no longer does. */
async function refuseLinksToAgent(transaction: Transaction, edges: readonly EdgeImages[]): Promise<void> {
  const deciding = edges.filter(({ before, after }) => isDeciding(before ?? after))
  if (deciding.some(({ after }) => after === null))
    throw new UserError("refused", "Not done: only the person takes back what replaces or contradicts what.")
  const ends = deciding.flatMap(({ after }) => (after ? [after.source, after.target] : []))
  const person = [...(await findMemories(transaction, ends)).values()].find(isPersons)
  if (person === undefined) return
  const advice = `they can run \`reverie memory link\`.`
  throw new UserError(
    "refused",
    `Not done: ${person.id} is what the person said, and only they decide about it; ${advice}`,
  )
}

function isDeciding(edge: Edge | null): boolean {
  return edge?.kind === "supersedes" || openKinds.some((kind) => kind === edge?.kind)
}

/** What this operation did before, if it is sent a second time; an id that was used for something else is refused. */
function earlierAct(
  transaction: Transaction,
  by: By,
  { kinds, about }: Recognised,
): Promise<Changed | undefined> {
  const isEdge = (entry: JournalEntry) => entry.kind.startsWith("edge.")
  return earlierResult(transaction, by, {
    limit: 10_000,
    read(entries) {
      const told = entries.filter(({ kind }) => !kind.startsWith("project."))
      const areOurs = told.every((entry) => kinds.includes(entry.kind) || isEdge(entry))
      if (!areOurs || !isAbout(told, about)) return undefined
      const memories = told.filter((entry) => !isEdge(entry)).map(({ data }) => (data as Images).after)
      const edges = told.filter(isEdge).map(({ data }) => data as EdgeImages)
      return changedBy(by.operation, memories, edges)
    },
  })
}

interface Images {
  after: Memory
}

/** Whether entries tell of at least one of the ids, of which only a part may have been given. */
function isAbout(entries: readonly JournalEntry[], ids: readonly string[]): boolean {
  const touched = entries.flatMap(({ subject, data }) => {
    const edge = (data as EdgeImages).after ?? (data as EdgeImages).before
    return [subject ?? "", edge?.target ?? ""]
  })
  return ids.length === 0 || ids.some((id) => touched.some((one) => one.startsWith(id) || one.endsWith(id)))
}

function changedBy(operation: string, memories: Memory[], edges: EdgeImages[]): Changed {
  const last = new Map(memories.map((memory) => [memory.id, memory]))
  return { operation, memories: [...last.values()], edges }
}

/** The next version of a memory. */
export function changed(memory: Memory, at: number, change: Partial<Memory>): Memory {
  return { ...memory, ...change, version: memory.version + 1, updatedAt: at }
}

/** Writes changes down, with their journal entries. */
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
