import type { Database } from "../../src/storage/database.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"

/** Something planned, from when it was due until when it was done. */
export interface Planned {
  id: string
  dueAt: number
  endedAt: number | null
  finished: number
}

/** Everything that was ever in the queue, and how often each was finished. */
export async function plannedOf(db: Database): Promise<Planned[]> {
  return db.read<Planned>(sql`
    select q.id as id, q.due_at as "dueAt", q.ended_at as "endedAt",
      (select count(*) from journal j where j.kind = 'queue.finished' and j.subject = q.id) as finished
    from queue_items q`)
}

/** What the ambient agent used, call by call. */
export async function usesOf(db: Database): Promise<{ at: number; tokens: number }[]> {
  return db.read(
    sql`select at, input + output as tokens from model_calls where source = 'ambient' order by at`,
  )
}

/** When each wish was for, and when the cycle came that was begun for it. */
export async function grantedWishes(db: Database): Promise<{ wish: number; came: number }[]> {
  const entries = await readJournal(db, { kind: ["ambient.scheduled", "cycle.started"], limit: 1_000_000 })
  const granted: { wish: number; came: number }[] = []
  let wish: number | null = null
  for (const { kind, at, data } of entries) {
    if (kind === "ambient.scheduled") wish = (data as { wish: { at: number | null } | null }).wish?.at ?? null
    else if (wish !== null && (data as { trigger: string }).trigger === "wish")
      granted.push({ wish, came: at })
  }
  return granted
}
