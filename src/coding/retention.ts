import { nextTurn } from "../base/clock.ts"
import type { Database } from "../storage/database.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { sql, sqlList } from "../storage/sql.ts"

const dayMs = 86_400_000
/** Sessions whose turns are deleted in one transaction. */
const batch = 20

/** Turns from before this moment are not kept; 0 days keep none at all. */
export function keptSince(now: number, keepDays: number): number {
  return keepDays === 0 ? Number.MAX_SAFE_INTEGER : now - keepDays * dayMs
}

/** Deletes turns that are too old to be kept. What sessions there were stays known. */
export async function forgetTurns(
  db: Database,
  { install, now, keepDays }: { install: string; now: number; keepDays: number },
  by: By,
): Promise<number> {
  const before = keptSince(now, keepDays)
  let forgotten = 0
  for (;;) {
    const gone = await db.write(async (transaction) => {
      const old = await transaction.read<{ session: string }>(sql`
        select distinct t.session as session from turns t join sessions s on s.id = t.session
        where s.install = ${install} and t.at < ${before} limit ${batch}`)
      if (old.length === 0) return 0
      const count = await transaction.run(sql`
        delete from turns where at < ${before} and session in ${sqlList(old.map(({ session }) => session))}`)
      await appendEntry(transaction, { ...by, at: now, kind: "turns.forgotten", data: { turns: count } })
      return count
    })
    if (gone === 0) return forgotten
    forgotten += gone
    await nextTurn()
  }
}
