import { appendEntries, type By, type JournalKind } from "../../../storage/journal.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { isAgent, requireAgentMay } from "../agents/agents.ts"
import { isLoss, recordLosses } from "../agents/losses.ts"
import type { Memory } from "../memory.ts"
import { batchesOf } from "./batch.ts"
import { writeMemories } from "./store.ts"

/** One change of one memory, with its images before and after, which undo and history read. */
export interface MemoryChange {
  kind: JournalKind
  before: Memory | null
  after: Memory | null
  at: number
  by: By
  /** The caller's answer, stored in the journal so that a repeated operation returns the same. */
  told?: object
}

/** Applies changes in order and writes their journal entries. */
export async function changeMemories(
  transaction: Transaction,
  changes: readonly MemoryChange[],
): Promise<void> {
  // A memory that changes twice is written once, in its final state.
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
  for (const some of batchesOf(puts)) await writeMemories(transaction, some)
  const entries = changes.map((change) => {
    const { kind, before, after, at, by, told } = change
    const data = told === undefined ? { before, after } : { before, after, told }
    return { ...by, at, kind, subject: idOf(change), data }
  })
  for (const some of batchesOf(entries)) await appendEntries(transaction, some)
}

/** Throws where an agent may not make these changes, and records the losses it causes. */
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
    requireAgentMay(change.before, after)
    if (isLoss(change.before, after)) lost.push(idOf(change))
  }
  const { agent, operation } = one.by
  if (agent) await recordLosses(transaction, agent, lost, { at: one.at, operation })
}

function idOf({ before, after }: MemoryChange): string {
  return after?.id ?? before?.id ?? ""
}
