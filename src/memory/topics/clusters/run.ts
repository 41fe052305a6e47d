import { sql } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { type ClusterScope, scopeName } from "./scope.ts"

/** The last clustering of a scope. */
export interface Run {
  scope: string
  /** Grows with every run; a run that began from another number has been overtaken. */
  run: number
  at: number
  /** The newest journal entry that the run took into account. */
  entry: number
  model: string
  memories: number
}

const columns = sql`place as scope, run, at, entry, model, memories`

/** The last run of a scope, if any. */
export async function findRun(on: Reader, scope: ClusterScope): Promise<Run | undefined> {
  const [run] = await on.read<Run>(sql`select ${columns} from cluster_runs where place = ${scopeName(scope)}`)
  return run
}

/** The last runs of all scopes. */
export function allRuns(on: Reader): Promise<Run[]> {
  return on.read<Run>(sql`select ${columns} from cluster_runs order by place`)
}

/** Saves a run, in the transaction that writes its clusters. */
export async function putRun(transaction: Transaction, run: Run): Promise<void> {
  await transaction.run(sql`
    insert into cluster_runs (place, run, at, entry, model, memories)
    values (${run.scope}, ${run.run}, ${run.at}, ${run.entry}, ${run.model}, ${run.memories})
    on conflict (place) do update set run = excluded.run, at = excluded.at, entry = excluded.entry,
      model = excluded.model, memories = excluded.memories`)
}
