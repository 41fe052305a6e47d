import { UserError } from "../base/errors.ts"
import { joinSql, type Sql, sql, sqlList } from "../storage/sql.ts"
import type { Reader } from "../storage/transaction.ts"
import type { Phase, Session, SessionStatus, SessionTool } from "./session.ts"

/** The JSON in the column `details`. */
export interface SessionDetails {
  /** The file in which its tool stores it. */
  place?: string
  /** When that file last changed. */
  changedAt?: number
  phase?: Phase
  lastUserAt?: number
}

type SessionRow = Omit<Session, "lastUserAt"> & { details: string }

const columns = sql`id, tool, native_id as "nativeId", project, folder, branch, title, started_at as "startedAt",
  updated_at as "updatedAt", status, status_at as "statusAt", pid, turns, extracted_turns as "extractedTurns", details`

/** A session with its stored details. */
export type KnownSession = Session & { details: SessionDetails }

export interface SessionQuery {
  install?: string | undefined
  ids?: readonly string[] | undefined
  tool?: SessionTool | undefined
  /** Ids of the project. */
  projects?: readonly string[] | undefined
  statuses?: readonly SessionStatus[] | undefined
  updatedSince?: number | undefined
  /** Only those that have a title. */
  isTitled?: true | undefined
  limit?: number | undefined
}

/** Sessions, the newest first. */
export async function listSessions(on: Reader, query: SessionQuery): Promise<KnownSession[]> {
  const conditions: Sql[] = [sql`true`]
  if (query.install !== undefined) conditions.push(sql`install = ${query.install}`)
  if (query.ids !== undefined) conditions.push(sql`id in ${sqlList(query.ids)}`)
  if (query.tool !== undefined) conditions.push(sql`tool = ${query.tool}`)
  if (query.projects !== undefined) conditions.push(sql`project in ${sqlList(query.projects)}`)
  if (query.statuses !== undefined) conditions.push(sql`status in ${sqlList(query.statuses)}`)
  if (query.updatedSince !== undefined) conditions.push(sql`updated_at >= ${query.updatedSince}`)
  if (query.isTitled) conditions.push(sql`title is not null and title <> ''`)
  const rows = await on.read<SessionRow>(sql`
    select ${columns} from sessions where ${joinSql(conditions, sql` and `)}
    order by updated_at desc, id limit ${query.limit ?? 1000}`)
  return rows.map(toSession)
}

export async function findSession(on: Reader, id: string): Promise<KnownSession | undefined> {
  return (await listSessions(on, { ids: [id] }))[0]
}

/** One session by its id, its tool's own id, or a unique part of them. Throws if there is none or several. */
export async function requireSession(on: Reader, idOrPart: string): Promise<KnownSession> {
  const exact = await findSession(on, idOrPart)
  if (exact) return exact
  const part = idOrPart.replaceAll(/[\\%_]/g, "\\$&")
  const begins = `${part}%`
  const rows = await on.read<SessionRow>(sql`
    select ${columns} from sessions where id like ${begins} escape '\\' or native_id like ${begins} escape '\\'
      or id like ${`%${part}`} escape '\\'
    order by updated_at desc, id limit 3`)
  const [first, second] = rows
  if (first === undefined)
    throw new UserError("not-found", `There is no session ${idOrPart}; \`reverie sessions\` lists them.`)
  if (second !== undefined)
    throw new UserError("usage", `Several sessions begin or end with ${idOrPart}; give more of the id.`)
  return toSession(first)
}

function toSession({ details: text, ...row }: SessionRow): KnownSession {
  const details: SessionDetails = JSON.parse(text)
  return { ...row, lastUserAt: details.lastUserAt ?? null, details }
}
