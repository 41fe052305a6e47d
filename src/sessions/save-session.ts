import type { Database } from "../storage/database.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { sql, sqlList, sqlRows } from "../storage/sql.ts"
import type { Transaction } from "../storage/transaction.ts"
import { type Phase, type SessionStatus, type SessionTool, sessionId } from "./session.ts"
import { findSession, type KnownSession, type SessionDetails } from "./sessions.ts"
import type { NewTurn } from "./turn.ts"

/** The current data of a session, and its new turns. */
export interface SessionBatch {
  tool: SessionTool
  nativeId: string
  /** Returns the id of its project, and creates the project if needed; undefined for none. */
  project: ((transaction: Transaction) => Promise<string>) | undefined
  folder?: string | undefined
  branch?: string | undefined
  title?: string | undefined
  /** The title if there is no other. */
  firstWords: string | undefined
  startedAt: number
  /** The file in which its tool stores it, and when that last changed. */
  place?: string | undefined
  changedAt: number
  phase?: Phase | undefined
  pid: number | undefined
  status: SessionStatus
  /** When the user last wrote, also if that turn is not stored. */
  lastUserAt: number | undefined
  /** False while nobody has written anything: such a session is not stored. */
  isSpoken: boolean
  turns: readonly NewTurn[]
}

interface SaveContext {
  install: string
  now: number
  by: By
}

/** Saves what is new in a session. A known turn keeps its position; its text is replaced by a longer one. */
export async function saveSession(
  transaction: Transaction,
  needs: SaveContext,
  batch: SessionBatch,
): Promise<void> {
  const id = sessionId(batch.tool, batch.nativeId)
  if (await belongsToOther(transaction, id, needs.install)) return
  const before = await findSession(transaction, id)
  if (before === undefined && !batch.isSpoken) return
  const project = batch.project ? await batch.project(transaction) : (before?.project ?? null)
  const session = before ?? (await beginSession(transaction, needs, batch, project))
  const added = await addTurns(transaction, session, batch.turns)
  await refresh(transaction, session, batch, project, added)
  if (added > 0) {
    const data = { turns: added, from: session.turns }
    await appendEntry(transaction, { ...needs.by, at: needs.now, kind: "session.read", subject: id, data })
  }
  // Lines without turns do not reopen a session that is over.
  const isReopened = added > 0 || !isOver(session.status) || isOver(batch.status)
  if (isReopened) await changeStatus(transaction, needs, session, { status: batch.status, pid: batch.pid })
}

/** In a shared database a session belongs to the installation that found it. */
async function belongsToOther(transaction: Transaction, id: string, install: string): Promise<boolean> {
  const [row] = await transaction.read<{ install: string }>(
    sql`select install from sessions where id = ${id}`,
  )
  return row !== undefined && row.install !== install
}

async function beginSession(
  transaction: Transaction,
  { install, now, by }: SaveContext,
  batch: SessionBatch,
  project: string | null,
): Promise<KnownSession> {
  const { tool, nativeId, folder = null, startedAt } = batch
  const id = sessionId(tool, nativeId)
  await transaction.run(sql`
    insert into sessions (id, install, tool, native_id, project, folder, branch, title, started_at, updated_at, status,
      status_at, pid, turns, extracted_turns, extracted_at, extraction, details)
    values (${id}, ${install}, ${tool}, ${nativeId}, ${project}, ${folder}, ${null}, ${null}, ${startedAt}, ${startedAt},
      'active', ${now}, ${null}, 0, 0, ${null}, ${null}, '{}')`)
  const data = { tool, project, folder, startedAt }
  await appendEntry(transaction, { ...by, at: now, kind: "session.started", subject: id, data })
  const begun = await findSession(transaction, id)
  if (begun === undefined) throw new Error("a session was not stored")
  return begun
}

/** Adds the new turns; returns how many. */
async function addTurns(
  transaction: Transaction,
  { id, turns: next }: KnownSession,
  turns: readonly NewTurn[],
): Promise<number> {
  const newest = new Map(turns.map((turn) => [turn.key, turn]))
  const known = await knownTurns(transaction, id, [...newest.keys()])
  for (const { key, position, text } of known) {
    const turn = newest.get(key)
    newest.delete(key)
    if (turn && turn.text.length > text.length)
      await transaction.run(sql`
        update turns set text = ${turn.text}, details = ${detailsOf(turn)}
        where session = ${id} and position = ${position}`)
  }
  const rows = [...newest.values()].map((turn, index) => {
    const { key, role, at, text } = turn
    return [id, next + index, role, at, text, detailsOf(turn), key]
  })
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await transaction.run(sql`
      insert into turns (session, position, role, at, text, details, key)
      values ${sqlRows(rows.slice(from, from + rowsAtOnce))}`)
  return rows.length
}

const rowsAtOnce = 200

async function knownTurns(transaction: Transaction, session: string, keys: readonly string[]) {
  const known: { key: string; position: number; text: string }[] = []
  for (let from = 0; from < keys.length; from += rowsAtOnce) {
    const some = sqlList(keys.slice(from, from + rowsAtOnce))
    known.push(
      ...(await transaction.read<(typeof known)[number]>(
        sql`select key, position, text from turns where session = ${session} and key in ${some}`,
      )),
    )
  }
  return known
}

function detailsOf({ tool, isError, files }: NewTurn): string {
  return JSON.stringify({ tool, isError, files })
}

async function refresh(
  transaction: Transaction,
  session: KnownSession,
  batch: SessionBatch,
  project: string | null,
  added: number,
): Promise<void> {
  const { place, phase, changedAt } = batch
  const lastUserAt = Math.max(session.lastUserAt ?? 0, batch.lastUserAt ?? 0)
  const details: SessionDetails = {
    ...session.details,
    changedAt,
    ...(place === undefined ? {} : { place }),
    ...(phase === undefined ? {} : { phase }),
    ...(lastUserAt === 0 ? {} : { lastUserAt }),
  }
  const updatedAt = Math.max(session.updatedAt, lastUserAt, ...batch.turns.map(({ at }) => at))
  await transaction.run(sql`
    update sessions set project = ${project}, folder = ${batch.folder ?? session.folder},
      branch = ${batch.branch ?? session.branch}, title = ${batch.title ?? session.title ?? batch.firstWords ?? null},
      updated_at = ${updatedAt}, turns = ${session.turns + added}, details = ${JSON.stringify(details)}
    where id = ${session.id}`)
}

function isOver(status: SessionStatus): boolean {
  return status === "closed" || status === "crashed"
}

/** Saves a session's status; journals when it ends or is resumed. */
export async function changeStatus(
  transaction: Transaction,
  { now, by }: Pick<SaveContext, "now" | "by">,
  session: Pick<KnownSession, "id" | "status" | "pid" | "project" | "tool" | "turns">,
  { status, pid = session.pid ?? undefined }: { status: SessionStatus; pid?: number | undefined },
): Promise<void> {
  if (status === session.status && (pid ?? null) === session.pid) return
  const statusAt = status === session.status ? sql`status_at` : sql`${now}`
  await transaction.run(sql`
    update sessions set status = ${status}, status_at = ${statusAt}, pid = ${pid ?? null} where id = ${session.id}`)
  if (status === session.status || (!isOver(status) && !isOver(session.status))) return
  const kind = isOver(status) ? (`session.${status}` as const) : ("session.resumed" as const)
  const data = { tool: session.tool, project: session.project }
  await appendEntry(transaction, { ...by, at: now, kind, subject: session.id, data })
}

/** Marks a session as ended, when a hook reports it. Ignores unknown sessions. */
export async function closeSession(
  db: Database,
  id: string,
  needs: Pick<SaveContext, "now" | "by">,
): Promise<boolean> {
  return db.write(async (transaction) => {
    const session = await findSession(transaction, id)
    if (session === undefined || isOver(session.status)) return false
    await changeStatus(transaction, needs, session, { status: "closed" })
    return true
  })
}
