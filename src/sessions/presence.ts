import { readableTools } from "../config/settings/memory.ts"
import { sql, sqlList } from "../storage/sql.ts"
import type { Reader } from "../storage/transaction.ts"
import type { SessionTool } from "./session.ts"
import { listSessions } from "./sessions.ts"

/** The sessions in which the user works with an agent. */
export interface Presence {
  active: { session: string; tool: SessionTool; project: string | null; lastAt: number }[]
  /** When the user last wrote to an agent; null if unknown. */
  lastUserAt: number | null
}

/** Older sessions are ignored. */
const historyMs = 30 * 86_400_000

/** An active session that was not updated for this long does not count. */
const staleMs = 86_400_000

/** Times further ahead than this come from a wrong clock. */
const aheadMs = 60_000

/** Reads the user's presence from the stored sessions, newest first. */
export async function presence(on: Reader, install: string, now: number): Promise<Presence> {
  const sessions = await listSessions(on, { install, updatedSince: now - historyMs, limit: 500 })
  const active = sessions
    .filter(({ status, updatedAt, statusAt }) => {
      return status === "active" && now - Math.max(updatedAt, statusAt) < staleMs
    })
    .map(({ id, tool, project, updatedAt }) => ({ session: id, tool, project, lastAt: updatedAt }))
  const times = sessions.flatMap(({ lastUserAt }) => lastUserAt ?? [])
  return { active, lastUserAt: times.length === 0 ? null : Math.max(...times) }
}

/** When the user or their agent last did something; null if not within 30 days. */
export async function lastActivity(on: Reader, install: string, now: number): Promise<number | null> {
  const [row] = await on.read<{ at: number | null }>(sql`
    select max(updated_at) as at from sessions
    where install = ${install} and tool in ${sqlList(readableTools)} and updated_at > ${now - historyMs}
      and updated_at <= ${now + aheadMs}`)
  return row?.at ?? null
}
