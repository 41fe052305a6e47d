import { readJournal } from "../../storage/journal.ts"
import type { Reader } from "../../storage/transaction.ts"
import { type Event, eventOf } from "./timeline.ts"

/** One change of the graph, and what it happened to. */
export type GraphChange = Event & { subject: string }

const mostChanges = 500

/** What some operations did to memories and edges, in their order. */
export async function changesBy(on: Reader, operations: readonly string[]): Promise<GraphChange[]> {
  const changes: GraphChange[] = []
  for (const operation of operations) {
    const limit = mostChanges - changes.length
    if (limit <= 0) break
    const entries = await readJournal(on, { operation, kind: ["memory.", "edge."], limit })
    changes.push(...entries.map((entry) => ({ ...eventOf(entry, null), subject: entry.subject ?? "" })))
  }
  return changes
}
