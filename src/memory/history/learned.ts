import { z } from "zod"
import { selectSessions } from "../../sessions/session-projects.ts"
import { readJournal } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import { selectMemories } from "../model/store/store.ts"

/** Memories learned from a session count while they are active or quarantined. */
const isLearned = sql`m.status in ('active', 'quarantined')`

/** How many memories came from each session; sessions without any are not in the map. */
export async function countLearned(
  on: Reader,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (sessions.length === 0) return new Map()
  const rows = await on.read<{ session: string; learned: number }>(sql`
    select m.session_id as session, count(*) as learned from memories m
    where m.session_id in ${sqlList(sessions)} and ${isLearned} group by m.session_id`)
  return new Map(rows.map(({ session, learned }) => [session, learned]))
}

const mostShown = 100

/** The memories that came from a session, in the order of its messages. */
export function learnedIn(on: Reader, session: string): Promise<Memory[]> {
  return selectMemories(
    on,
    sql`m.session_id = ${session} and ${isLearned}`,
    sql`order by m.message_index, m.id limit ${mostShown}`,
  )
}

interface LearnedRow {
  id: string
  seq: number
  session: string
}

interface LearnedQuery {
  projects: readonly string[]
  /** The `seq` of the last memory that the caller knows. */
  after: number
  /** A session to leave out. */
  except: string
  /** Only sessions that were updated since this time. */
  since: number
}

/** The memories that the sessions of some projects added after a `seq`, newest first; at most 100. */
export async function learnedAfter(
  on: Reader,
  { projects, after, except, since }: LearnedQuery,
): Promise<LearnedRow[]> {
  if (projects.length === 0) return []
  return on.read<LearnedRow>(sql`
    select m.id as id, m.seq as seq, m.session_id as session from memories m
    where m.session_id in (${selectSessions({ projects, since, except })})
      and m.seq > ${after} and m.status = 'active' and m.audience is null
    order by m.seq desc limit ${mostShown}`)
}

/** How many of the memories learned from sessions since a time still count. */
export async function learnedSince(on: Reader, since: number): Promise<number> {
  const entries = await readJournal(on, {
    kind: "session.extracted",
    where: sql`at >= ${since}`,
    newestFirst: true,
    limit: 200,
  })
  const ids = entries.flatMap(({ data }) => extractedSchema.safeParse(data).data?.memories ?? [])
  if (ids.length === 0) return 0
  const [row] = await on.read<{ learned: number }>(
    sql`select count(*) as learned from memories m where m.id in ${sqlList(ids)} and ${isLearned}`,
  )
  return row?.learned ?? 0
}

const extractedSchema = z.object({ memories: z.array(z.string()) })
