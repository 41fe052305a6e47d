import { z } from "zod"
import { selectSessions } from "../../sessions/session-projects.ts"
import { readJournal } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import { selectMemories } from "../model/store/store.ts"

/** A memory that was learned in a session counts while it is believed or waits for a second source. */
const isLearned = sql`m.status in ('active', 'quarantined')`

/** How many memories each of some sessions taught; sessions that taught none are left out. */
export async function countLearned(
  on: Reader,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (sessions.length === 0) return new Map()
  const rows = await on.read<{ session: string; learned: number }>(sql`
    select m.session_id as session, count(*) as learned from memories m
    where m.session_id in ${sqlList(sessions)} and ${isLearned} group by m.session_id`)
  return new Map(rows.map(({ session, learned }) => [session, Number(learned)]))
}

const mostShown = 100

/** What a session taught, in the order it was said. */
export function learnedIn(on: Reader, session: string): Promise<Memory[]> {
  return selectMemories(
    on,
    sql`m.session_id = ${session} and ${isLearned}`,
    sql`order by m.message_index, m.id limit ${mostShown}`,
  )
}

/** A memory that a session taught. */
interface LearnedRow {
  id: string
  /** Its number in the order of learning. */
  seq: number
  session: string
}

/** Which of what sessions taught is meant. */
interface LearnedQuery {
  projects: readonly string[]
  /** The number of the last that is known. */
  after: number
  /** A session that knows what it taught itself. */
  except: string
  /** Sessions that were touched since. */
  since: number
}

/** What the sessions of a project taught after a number, newest first. */
export async function learnedAfter(
  on: Reader,
  { projects, after, except, since }: LearnedQuery,
): Promise<LearnedRow[]> {
  if (projects.length === 0) return []
  const rows = await on.read<LearnedRow>(sql`
    select m.id as id, m.seq as seq, m.session_id as session from memories m
    where m.session_id in (${selectSessions({ projects, since, except })})
      and m.seq > ${after} and m.status = 'active' and m.audience is null
    order by m.seq desc limit ${mostShown}`)
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

/** How many memories were learned from sessions since a moment, as the journal tells, and still are there. */
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
  return Number(row?.learned ?? 0)
}

const extractedSchema = z.object({ memories: z.array(z.string()) })
