import { UserError } from "../base/errors.ts"
import { joinSql, type Sql, sql, sqlList } from "../storage/sql.ts"
import type { Reader } from "../storage/transaction.ts"
import type { Phase, Session, SessionStatus, SessionTool } from "./session.ts"

/** What is known of a session beyond its columns. */
export interface SessionDetails {
  /** Where its tool writes it. */
  place?: string
  /** When that last changed. */
  changedAt?: number
  phase?: Phase
  lastUserAt?: number
}

interface SessionRow {
  id: string
  tool: SessionTool
  native_id: string
  project: string | null
  folder: string | null
  branch: string | null
  title: string | null
  started_at: number
  updated_at: number
  status: SessionStatus
  status_at: number
  pid: number | null
  turns: number
  extracted_turns: number
  details: string
}

const columns = sql`id, tool, native_id, project, folder, branch, title, started_at, updated_at, status, status_at,
  pid, turns, extracted_turns, details`

/** A session with what only reading and judging it need. */
export type KnownSession = Session & { details: SessionDetails }

/** Which sessions are meant. */
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

/** One session by its id, or undefined. */
export async function findSession(on: Reader, id: string): Promise<KnownSession | undefined> {
  return (await listSessions(on, { ids: [id] }))[0]
}

/** One session by its id, its tool's own id, or the beginning or end of either; a sentence if there is none or not one. */
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

function toSession(row: SessionRow): KnownSession {
  const details: SessionDetails = JSON.parse(row.details)
  return {
    id: row.id,
    tool: row.tool,
    nativeId: row.native_id,
    project: row.project,
    folder: row.folder,
    branch: row.branch,
    title: row.title,
    startedAt: Number(row.started_at),
    updatedAt: Number(row.updated_at),
    status: row.status,
    statusAt: Number(row.status_at),
    pid: row.pid === null ? null : Number(row.pid),
    turns: Number(row.turns),
    extractedTurns: Number(row.extracted_turns),
    lastUserAt: details.lastUserAt ?? null,
    details,
  }
}
