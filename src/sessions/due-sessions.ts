import type { InstallCore } from "../storage/core.ts"
import { type Sql, sql } from "../storage/sql.ts"
import type { Reader } from "../storage/transaction.ts"

const dayMs = 86_400_000
const mostAtOnce = 200

/** When a session with unread turns is due. */
interface Due {
  /** Sessions that were not updated since are not read. */
  since: number
  /** Sessions that were not updated since are idle. */
  idleBefore: number
  /** This many unread prompts make a running session due; 0 for never. */
  everyTurns: number
}

/** The sessions of an installation with unread turns, oldest update first: all, or those that are due. */
export async function unreadSessions(on: Reader, install: string, due?: Due): Promise<string[]> {
  const rows = await on.read<{ id: string }>(sql`
    select s.id as id from sessions s
    where s.install = ${install} and ${due ? isDue(due) : sql`true`}
      and exists (select 1 from turns t where t.session = s.id and t.position >= s.extracted_turns)
    order by s.updated_at, s.id limit ${mostAtOnce}`)
  return rows.map(({ id }) => id)
}

function isDue({ since, idleBefore, everyTurns }: Due): Sql {
  const isLong = sql`(select count(*) from turns t
    where t.session = s.id and t.role = 'user' and t.position >= s.extracted_turns) >= ${everyTurns}`
  return sql`s.updated_at >= ${since}
    and (s.status in ('closed', 'crashed') or s.updated_at <= ${idleBefore} or (${everyTurns} > 0 and ${isLong}))`
}

/** The sessions that rules have read and a model should still read, oldest update first. */
async function sessionsForModel(on: Reader, install: string): Promise<string[]> {
  const rows = await on.read<{ id: string }>(sql`
    select id from sessions where install = ${install} and model_from is not null
    order by updated_at, id limit ${mostAtOnce}`)
  return rows.map(({ id }) => id)
}

/** The sessions to read now: with unread turns and over, idle or long enough; or waiting for a model that may be asked again. */
export async function dueSessions(
  { db, clock, config, install }: InstallCore,
  reader: { hasModel(): Promise<boolean> },
): Promise<string[]> {
  const { every_turns, idle_minutes, look_back_days } = config.extraction
  const now = clock.now()
  const unread = await unreadSessions(db, install, {
    since: now - look_back_days * dayMs,
    idleBefore: now - idle_minutes * 60_000,
    everyTurns: every_turns,
  })
  const waiting = (await sessionsForModel(db, install)).filter((id) => !unread.includes(id))
  return waiting.length > 0 && (await reader.hasModel()) ? [...unread, ...waiting] : unread
}
