import { readJournal } from "../../../storage/journal.ts"
import { sql, sqlList } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import { batchesOf, pagesOf } from "../../model/store/batch.ts"
import { allRuns } from "./run.ts"
import { type ClusterScope, scopeName } from "./scope.ts"

/** After this many retrievals with memories from several clusters, a scope is clustered again. */
export const spansUntilRefined = 50

/** Which memories were found together, in memory only, because a search writes nothing. */
export interface RetrievalLog {
  /** Adds the ids of the memories that one query found. */
  note(ids: readonly string[]): void
  /** Returns and clears what was added. */
  take(): string[][]
}

/** Older entries are dropped. */
const maxLogged = 1000

export function createRetrievalLog(): RetrievalLog {
  let noted: string[][] = []
  return {
    note(ids) {
      if (ids.length > 1) noted = [...noted, [...ids]].slice(-maxLogged)
    },
    take() {
      const taken = noted
      noted = []
      return taken
    },
  }
}

/** How many of these retrievals span several clusters, by scope. */
export async function countSpans(
  on: Reader,
  retrievals: readonly (readonly string[])[],
): Promise<Map<ClusterScope, number>> {
  const clusters = await clustersByMemory(on, new Set(retrievals.flat()))
  const counts = new Map<ClusterScope, number>()
  for (const ids of retrievals) {
    const found = ids.flatMap((id) => clusters.get(id) ?? [])
    for (const [scope, some] of Map.groupBy(found, ({ project }) => project))
      if (new Set(some.map(({ cluster }) => cluster)).size > 1)
        counts.set(scope, (counts.get(scope) ?? 0) + 1)
  }
  return counts
}

interface Membership {
  id: string
  cluster: string
  project: ClusterScope
}

async function clustersByMemory(on: Reader, ids: ReadonlySet<string>): Promise<Map<string, Membership[]>> {
  const all: Membership[] = []
  for (const some of batchesOf([...ids]))
    all.push(
      ...(await on.read<Membership>(sql`
        select e.source as id, c.id as cluster, c.project as project
        from edges e join clusters c on e.target = 'cluster:' || c.id
        where e.kind = 'in-cluster' and e.source in ${sqlList(some)}`)),
    )
  return Map.groupBy(all, ({ id }) => id)
}

const entriesAtOnce = 1000

/** The groups of memories that recall surfaced together after a journal entry. */
export async function surfacedAfter(on: Reader, after: number): Promise<string[][]> {
  const found: string[][] = []
  const read = (last: { seq: number } | undefined) =>
    readJournal(on, { after: last?.seq ?? after, kind: "recall.surfaced", limit: entriesAtOnce })
  for await (const entries of pagesOf(entriesAtOnce, read)) {
    for (const { data } of entries) {
      const { memories } = data as { memories?: unknown }
      if (Array.isArray(memories)) found.push(memories.filter((id) => typeof id === "string"))
    }
  }
  return found.filter((ids) => ids.length > 1)
}

/** How many times recall surfaced memories of several clusters, by scope, since the scope's last run. */
export async function spansSinceRuns(on: Reader): Promise<Map<ClusterScope, number>> {
  const counts = new Map<ClusterScope, number>()
  for (const [entry, runs] of Map.groupBy(await allRuns(on), (run) => run.entry)) {
    const scopes = new Set(runs.map(({ scope }) => scope))
    for (const [scope, count] of await countSpans(on, await surfacedAfter(on, entry)))
      if (scopes.has(scopeName(scope))) counts.set(scope, count)
  }
  return counts
}
