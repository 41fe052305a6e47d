import { joinSql, type Sql, sql, sqlList } from "../storage/sql.ts"
import type { Reader } from "../storage/transaction.ts"
import type { Turn } from "./turn.ts"

interface TurnRow extends Pick<Turn, "position" | "role" | "at" | "text"> {
  details: string
}

interface TurnQuery {
  /** The first position. */
  from?: number | undefined
  /** The position after the last. */
  to?: number | undefined
  roles?: readonly Turn["role"][] | undefined
  /** Takes the last turns, rather than the first, if there are more than `limit`. */
  newest?: boolean | undefined
  limit?: number | undefined
}

/** The stored turns of a session, in order. */
export async function turnsOf(on: Reader, session: string, query: TurnQuery = {}): Promise<Turn[]> {
  const { from = 0, to, roles, newest = false, limit = 10_000 } = query
  const conditions: Sql[] = [sql`session = ${session}`, sql`position >= ${from}`]
  if (to !== undefined) conditions.push(sql`position < ${to}`)
  if (roles !== undefined) conditions.push(sql`role in ${sqlList(roles)}`)
  const rows = await on.read<TurnRow>(sql`
    select position, role, at, text, details from turns where ${joinSql(conditions, sql` and `)}
    order by position ${newest ? sql`desc` : sql`asc`} limit ${limit}`)
  const turns = rows.map(toTurn)
  return newest ? turns.reverse() : turns
}

function toTurn({ position, role, at, text, details }: TurnRow): Turn {
  const { tool, isError, files } = JSON.parse(details) as Pick<Turn, "tool" | "isError" | "files">
  return {
    position,
    role,
    at,
    text,
    ...(typeof tool === "string" ? { tool } : {}),
    ...(isError === true ? { isError } : {}),
    ...(Array.isArray(files) ? { files } : {}),
  }
}

/** Only the newest sessions are searched. */
const mostSessions = 300

/** Turns with one of these lower-case words in the newest sessions of some projects, newest first. */
export async function searchTurns(
  on: Reader,
  { words, projects, limit }: { words: readonly string[]; projects: readonly string[]; limit: number },
): Promise<Pick<Turn, "role" | "at" | "text">[]> {
  const each = words.map((word) => sql`lower(t.text) like ${`%${word}%`}`)
  return on.read<Pick<Turn, "role" | "at" | "text">>(sql`
    select t.role as role, t.at as at, t.text as text from turns t
    where t.session in (
        select id from sessions where project in ${sqlList(projects)} order by updated_at desc limit ${mostSessions})
      and (${joinSql(each, sql` or `)}) order by t.at desc limit ${limit}`)
}
