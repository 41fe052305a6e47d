import type { GardenReport } from "../../src/memory/garden/garden.ts"
import { selectEdges } from "../../src/memory/model/store/graph.ts"
import type { Database } from "../../src/storage/database.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"

/** What became of the memories in a pass. */
export interface Outcome {
  /** What each merged memory was merged into, and what each replaced one was replaced by. */
  merged: Map<string, string>
  replaced: Map<string, string>
  archived: Set<string>
  /** Pairs that are linked as contradicting, both ways. */
  conflicts: Set<string>
}

/** Reads from the journal what the deeds of a pass did. */
export async function outcomeOf(db: Database, { deeds }: GardenReport): Promise<Outcome> {
  const outcome: Outcome = {
    merged: new Map(),
    replaced: new Map(),
    archived: new Set(),
    conflicts: new Set(),
  }
  for (const { name, operation } of deeds) {
    const into = name === "duplicates merged" ? outcome.merged : outcome.replaced
    // No operation of the garden has more entries than this.
    for (const { kind, subject, data } of await readJournal(db, {
      operation,
      kind: "memory.",
      limit: 10_000,
    })) {
      const { after } = data as { after: { supersededBy: string | null } }
      if (kind === "memory.superseded") into.set(subject ?? "", after.supersededBy ?? "")
      if (kind === "memory.archived") outcome.archived.add(subject ?? "")
    }
  }
  for (const { source, target } of await selectEdges(db, sql`kind = 'contradicts'`)) {
    outcome.conflicts.add(`${source} ${target}`).add(`${target} ${source}`)
  }
  return outcome
}

/** What a memory was merged into in the end. */
function rootOf({ merged }: Outcome, id: string): string {
  let now = id
  for (let next = merged.get(now); next !== undefined; next = merged.get(now)) now = next
  return now
}

/** Whether two memories ended up as one. */
export function areOne(outcome: Outcome, a: string, b: string): boolean {
  return rootOf(outcome, a) === rootOf(outcome, b)
}

/** Whether two memories were held against each other: one was replaced by the other, or they are linked as a conflict. */
export function areOpposed(outcome: Outcome, a: string, b: string): boolean {
  const [x, y] = [rootOf(outcome, a), rootOf(outcome, b)]
  const isReplaced = (one: string, other: string) =>
    rootOf(outcome, outcome.replaced.get(one) ?? "") === other
  return isReplaced(x, y) || isReplaced(y, x) || outcome.conflicts.has(`${x} ${y}`)
}
