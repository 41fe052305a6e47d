import { type Sql, sql } from "../storage/sql.ts"
import type { Reader } from "../storage/transaction.ts"

const mostAtOnce = 200

/** When a session with something unread is due. */
interface Due {
  /** What was untouched since is not read any more. */
  since: number
  /** What was untouched since counts as idle. */
  idleBefore: number
  /** So many unread prompts make a session due while it goes on; 0 for never. */
  everyTurns: number
}

/** The sessions of an installation that have something unread, longest untouched first: all, or those that are due. */
export async function unreadSessions(on: Reader, install: string, due?: Due): Promise<string[]> {
  const rows = await on.read<{ id: string }>(sql`
    select s.id as id from sessions s
    where s.install = ${install} and ${due ? isDue(due) : sql`true`}
      and exists (select 1 from turns t where t.session = s.id and t.position >= s.extracted_turns)
    order by s.updated_at, s.id limit ${mostAtOnce}`)
  return rows.map(({ id }) => id)
}

/** Over, idle, or long enough. */
function isDue({ since, idleBefore, everyTurns }: Due): Sql {
  const isLong = sql`(select count(*) from turns t
    where t.session = s.id and t.role = 'user' and t.position >= s.extracted_turns) >= ${everyTurns}`
  return sql`s.updated_at >= ${since}
    and (s.status in ('closed', 'crashed') or s.updated_at <= ${idleBefore} or (${everyTurns} > 0 and ${isLong}))`
}

/** The sessions of an installation that a model should still read, longest untouched first. */
export async function heldSessions(on: Reader, install: string): Promise<string[]> {
  const rows = await on.read<{ id: string }>(sql`
    select id from sessions where install = ${install} and model_from is not null
    order by updated_at, id limit ${mostAtOnce}`)
  return rows.map(({ id }) => id)
}
