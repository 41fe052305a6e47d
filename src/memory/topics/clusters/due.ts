import { selectSubjects } from "../../../storage/journal-queries.ts"
import { sql, sqlList } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import { allRuns } from "./run.ts"
import {
  type ClusterScope,
  countByScope,
  countInScope,
  countWithoutVector,
  organisable,
  scopeName,
} from "./scope.ts"

/** The journal kinds after which a memory may belong to another cluster. */
const movingKinds = ["saved", "imported", "edited", "superseded", "forgotten", "restored"].map(
  (verb) => `memory.${verb}`,
)

/** How many memories of each scope changed after this journal entry and after the scope's last run. */
export async function countChanges(on: Reader, after: number): Promise<Map<ClusterScope, number>> {
  const moved = selectSubjects(sql`seq > ${after} and imported = 0 and kind in ${sqlList(movingKinds)}`)
  const rows = await on.read<{ project: ClusterScope; changed: number }>(sql`
    select m.project as project, count(*) as changed
    from (${moved}) moved join memories m on m.id = moved.subject
    left join cluster_runs r on r.place = coalesce(m.project, 'global')
    where moved.newest > coalesce(r.entry, 0) and (m.status <> 'active' or ${organisable})
    group by m.project`)
  return new Map(rows.map(({ project, changed }) => [project, changed]))
}

/** How many memories of each scope changed since its last run; all of them without a run of this model. */
export async function changesSinceRuns(on: Reader, model: string): Promise<Map<ClusterScope, number>> {
  const runs = (await allRuns(on)).filter((run) => run.model === model)
  const changed =
    runs.length === 0
      ? new Map<ClusterScope, number>()
      : await countChanges(on, Math.min(...runs.map(({ entry }) => entry)))
  const known = new Set(runs.map(({ scope }) => scope))
  for (const [scope, count] of await countByScope(on)) {
    if (!known.has(scopeName(scope))) changed.set(scope, count)
  }
  return changed
}

/** The minimum number of changes, and the minimum share of a scope, that justify a run. */
const fewestChanges = 20
const smallestShare = 0.1

/** Whether this number of changes justifies clustering a scope again. */
export async function isWorthwhile(on: Reader, scope: ClusterScope, changed: number): Promise<boolean> {
  return changed >= fewestChanges && changed >= smallestShare * (await countInScope(on, scope))
}

/** Whether enough memories of a scope have vectors of this model. */
export async function isEmbedded(on: Reader, scope: ClusterScope, model: string): Promise<boolean> {
  const missing = await countWithoutVector(on, scope, model)
  return missing === 0 || missing < smallestShare * (await countInScope(on, scope))
}
