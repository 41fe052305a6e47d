import { nextTurn } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { type Sql, sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { type ExtractSessionNeeds, extractSession } from "./extract-session.ts"

const dayMs = 86_400_000
/** How long a session that could not be read is left alone. */
const restMs = 10 * 60_000

/** Reads every session that is due, oldest first; one that fails does not keep the others. */
export async function extractDue(needs: ExtractSessionNeeds, resting: Map<string, number>): Promise<void> {
  for (const id of await dueSessions(needs)) {
    await nextTurn()
    if (needs.signal?.aborted) return
    if ((resting.get(id) ?? 0) > needs.clock.now()) continue
    try {
      await extractSession(needs, id, "daemon")
    } catch (error) {
      if (needs.signal?.aborted) return
      resting.set(id, needs.clock.now() + restMs)
      needs.log.warn("A session could not be read", { session: id, reason: messageOf(error) })
    }
  }
}

/** The sessions of this installation that have something unread and are over, idle, or long enough; or held ones. */
export async function dueSessions(needs: ExtractSessionNeeds): Promise<string[]> {
  const unread = await unreadDue(needs)
  const held = (await heldDue(needs)).filter((id) => !unread.includes(id))
  return [...unread, ...held]
}

/** What waits for a model is due when one may be asked again. */
async function heldDue({ db, install, models }: ExtractSessionNeeds): Promise<string[]> {
  const rows = await db.read<{ id: string }>(sql`
    select id from sessions where install = ${install} and model_from is not null
    order by updated_at, id limit ${mostAtOnce}`)
  if (rows.length === 0 || !(await models?.choose("extraction"))?.chosen) return []
  return rows.map(({ id }) => id)
}

function unreadDue({ db, clock, config, install }: ExtractSessionNeeds): Promise<string[]> {
  const { every_turns, idle_minutes, look_back_days } = config.extraction
  const now = clock.now()
  const isLong = sql`(select count(*) from turns t
    where t.session = s.id and t.role = 'user' and t.position >= s.extracted_turns) >= ${every_turns}`
  return unreadSessions(
    db,
    install,
    sql`s.updated_at >= ${now - look_back_days * dayMs}
      and (s.status in ('closed', 'crashed') or s.updated_at <= ${now - idle_minutes * 60_000}
        or (${every_turns} > 0 and ${isLong}))`,
  )
}

const mostAtOnce = 200

/** The sessions of an installation that have something unread, longest untouched first. */
export async function unreadSessions(on: Reader, install: string, where: Sql = sql`true`): Promise<string[]> {
  const rows = await on.read<{ id: string }>(sql`
    select s.id as id from sessions s
    where s.install = ${install} and ${where}
      and exists (select 1 from turns t where t.session = s.id and t.position >= s.extracted_turns)
    order by s.updated_at, s.id limit ${mostAtOnce}`)
  return rows.map(({ id }) => id)
}
