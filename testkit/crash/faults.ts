import type { Database } from "../../src/storage/database.ts"
import { sql } from "../../src/storage/sql.ts"
import type { Ledger } from "./busy-agent.ts"

/** What is wrong with a store. */
export interface Faults {
  lost: string[]
  twice: string[]
  faults: string[]
}

interface Planted {
  groups: number
  copies: number
  /** Whether everything has come to its end. */
  isOver: boolean
}

/** Looks at a store as a kill has left it, or as it is when all is done. */
export async function findFaults(db: Database, ledger: Ledger, planted: Planted): Promise<Faults> {
  const items = await db.read<{ id: string; context: string; state: string; finished: number }>(sql`
    select q.id as id, q.context as context, q.state as state,
      (select count(*) from journal j where j.kind = 'queue.finished' and j.subject = q.id) as finished
    from queue_items q`)
  const operations = await db.read<{ operation: string }>(
    sql`select distinct operation from journal where actor = 'ambient'`,
  )
  const known = new Set([...items.map(({ id }) => id), ...operations.map(({ operation }) => operation)])
  const contexts = Map.groupBy(items, ({ context }) => context)
  const repeated = [...contexts.values()].filter((same) => same.length > 1).length
  return {
    lost: [...ledger.done.keys()].filter((id) => !known.has(id)),
    twice: [
      ...items.filter(({ finished }) => Number(finished) > 1).map(({ id }) => `${id} was finished twice`),
      ...(repeated > 0 ? [`${repeated} plans are there twice`] : []),
      ...(await wrongStrengths(db, planted)),
    ],
    faults: [
      ...(await db.check()).map((fault) => `integrity: ${JSON.stringify(fault)}`),
      ...(await brokenTranscripts(db)),
      ...(planted.isOver ? await unfinished(db, items, planted) : []),
    ],
  }
}

/** Merging adds strengths: the active ones of a group have as much together as it had copies, never more or less. */
async function wrongStrengths(db: Database, { copies }: Planted): Promise<string[]> {
  const rows = await db.read<{ content: string; strength: number }>(sql`
    select content, sum(strength) as strength from memories
    where status = 'active' and content like 'Planted fact%' group by content`)
  return rows
    .filter(({ strength }) => Number(strength) !== copies)
    .map(({ content, strength }) => `${content} has a strength of ${strength}`)
}

/** A transcript has no holes, and no two cycles run at once. */
async function brokenTranscripts(db: Database): Promise<string[]> {
  const holes = await db.read<{ cycle: string }>(sql`
    select cycle from cycle_messages group by cycle having max(position) + 1 <> count(*)`)
  const running = await db.read<{ id: string }>(sql`select id from cycles where status = 'running'`)
  return [
    ...holes.map(({ cycle }) => `the transcript of ${cycle} has a hole`),
    ...(running.length > 1 ? [`${running.length} cycles are running`] : []),
  ]
}

async function unfinished(
  db: Database,
  items: readonly { id: string; state: string }[],
  { groups }: Planted,
): Promise<string[]> {
  const [row] = await db.read<{ active: number }>(
    sql`select count(*) as active from memories where status = 'active' and content like 'Planted fact%'`,
  )
  const running = await db.read(sql`select id from cycles where status = 'running'`)
  const open = items.filter(({ state }) => state !== "done")
  return [
    ...(Number(row?.active) === groups ? [] : [`${row?.active} planted memories are left of ${groups}`]),
    ...open.map(({ id, state }) => `${id} is ${state}`),
    ...(running.length === 0 ? [] : ["a cycle is still said to run"]),
  ]
}
