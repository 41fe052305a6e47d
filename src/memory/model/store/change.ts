import { appendEntries, type By, type JournalKind } from "../../../storage/journal.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { isAgent, refuseToAgent } from "../agents/agents.ts"
import { isLoss, spendLosses } from "../agents/losses.ts"
import type { Memory } from "../memory.ts"
import { batchesOf } from "./batch.ts"
import { putMemories } from "./store.ts"

/** One change of one memory, with its images before and after: all that undo and history need. */
export interface MemoryChange {
  kind: JournalKind
  before: Memory | null
  after: Memory | null
  at: number
  by: By
  /** What the caller is told about it, for the case that the answer is lost and it is sent again. */
  told?: object
}

/** Applies changes in their order, and writes their journal entries, together. */
export async function changeMemories(
  transaction: Transaction,
  changes: readonly MemoryChange[],
): Promise<void> {
  // A memory that changes twice is put once, as it is in the end.
  const first = new Map<string, MemoryChange>()
  const last = new Map<string, MemoryChange>()
  for (const change of changes) {
    const id = idOf(change)
    if (!first.has(id)) first.set(id, change)
    last.set(id, change)
  }
  await limitAgents(transaction, [...first.values()], last)
  const puts = [...last].map(([id, { after }]) => ({
    id,
    image: after,
    isNew: first.get(id)?.before === null,
  }))
  for (const some of batchesOf(puts)) await putMemories(transaction, some)
  const entries = changes.map((change) => {
    const { kind, before, after, at, by, told } = change
    const data = told === undefined ? { before, after } : { before, after, told }
    return { ...by, at, kind, subject: idOf(change), data }
  })
  for (const some of batchesOf(entries)) await appendEntries(transaction, some)
}

/** Refuses what an agent may not do to memories, and counts what it takes out of sight. */
async function limitAgents(
  transaction: Transaction,
  changes: readonly MemoryChange[],
  last: ReadonlyMap<string, MemoryChange>,
): Promise<void> {
  const agents = changes.filter(({ by }) => isAgent(by))
  const [one] = agents
  if (one === undefined) return
  const lost: string[] = []
  for (const change of agents) {
    const after = last.get(idOf(change))?.after ?? null
    refuseToAgent(change.before, after)
    if (isLoss(change.before, after)) lost.push(idOf(change))
  }
  const { agent, operation } = one.by
  if (agent) await spendLosses(transaction, agent, lost, { at: one.at, operation })
}

function idOf({ before, after }: MemoryChange): string {
  return after?.id ?? before?.id ?? ""
}
