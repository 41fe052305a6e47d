import { selectSubjects } from "../../../storage/journal-queries.ts"
import { sql, sqlList } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import { countPlace, countPlaces, countWithoutVector, organisable, type Place, placeName } from "./place.ts"
import { allRuns } from "./run.ts"

/** The kinds of entries after which a memory may belong elsewhere. */
const moving = ["saved", "imported", "edited", "superseded", "forgotten", "restored"].map(
  (verb) => `memory.${verb}`,
)

/** How many memories changed in each place, after this entry and after the place's last run. */
export async function countChanges(on: Reader, after: number): Promise<Map<Place, number>> {
  const moved = selectSubjects(sql`seq > ${after} and imported = 0 and kind in ${sqlList(moving)}`)
  const rows = await on.read<{ project: Place; changed: number }>(sql`
    select m.project as project, count(*) as changed
    from (${moved}) moved join memories m on m.id = moved.subject
    left join cluster_runs r on r.place = coalesce(m.project, 'global')
    where moved.newest > coalesce(r.entry, 0) and (m.status <> 'active' or ${organisable})
    group by m.project`)
  return new Map(rows.map(({ project, changed }) => [project, changed]))
}

/** How many memories changed in each place since its last run; all of them where there was none with this model. */
export async function changesSinceRuns(on: Reader, model: string): Promise<Map<Place, number>> {
  const runs = (await allRuns(on)).filter((run) => run.model === model)
  const changed =
    runs.length === 0
      ? new Map<Place, number>()
      : await countChanges(on, Math.min(...runs.map(({ entry }) => entry)))
  const known = new Set(runs.map(({ place }) => place))
  for (const [place, count] of await countPlaces(on)) {
    if (!known.has(placeName(place))) changed.set(place, count)
  }
  return changed
}

/** The fewest changes, and the smallest share of a place, that are worth a run. */
const fewestChanges = 20
const smallestShare = 0.1

/** Whether so many changes are worth finding a place's clusters anew. */
export async function isWorthwhile(on: Reader, place: Place, changed: number): Promise<boolean> {
  return changed >= fewestChanges && changed >= smallestShare * (await countPlace(on, place))
}

/** Whether enough of a place has vectors of this model to compare. */
export async function isEmbedded(on: Reader, place: Place, model: string): Promise<boolean> {
  const missing = await countWithoutVector(on, place, model)
  return missing === 0 || missing < smallestShare * (await countPlace(on, place))
}
