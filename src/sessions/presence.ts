import { readableTools } from "../config/settings/memory.ts"
import { sql, sqlList } from "../storage/sql.ts"
import type { Reader } from "../storage/transaction.ts"
import type { SessionTool } from "./session.ts"
import { listSessions } from "./sessions.ts"

/** Whether the user is at work with an agent, and on what. */
export interface Presence {
  active: { session: string; tool: SessionTool; project: string | null; lastAt: number }[]
  /** When the user last said something to an agent, as far as it is known. */
  lastUserAt: number | null
}

/** So far back it is looked when the user last said something. */
const lookBackMs = 30 * 86_400_000

/** What was called active so long ago was never looked at again. */
const staleMs = 86_400_000

/** A clock that is ahead by more than this is wrong. */
const aheadMs = 60_000

/** What the kept sessions say about the user; the newest first. */
export async function presence(on: Reader, install: string, now: number): Promise<Presence> {
  const sessions = await listSessions(on, { install, updatedSince: now - lookBackMs, limit: 500 })
  const active = sessions
    .filter(({ status, updatedAt, statusAt }) => {
      return status === "active" && now - Math.max(updatedAt, statusAt) < staleMs
    })
    .map(({ id, tool, project, updatedAt }) => ({ session: id, tool, project, lastAt: updatedAt }))
  const said = sessions.flatMap(({ lastUserAt }) => lastUserAt ?? [])
  return { active, lastUserAt: said.length === 0 ? null : Math.max(...said) }
}

/** When the user, or an agent at work for them, last did something; null for never within the last 30 days. */
export async function lastActivity(on: Reader, install: string, now: number): Promise<number | null> {
  const [row] = await on.read<{ at: number | null }>(sql`
    select max(updated_at) as at from sessions
    where install = ${install} and tool in ${sqlList(readableTools)} and updated_at > ${now - lookBackMs}
      and updated_at <= ${now + aheadMs}`)
  return row?.at ?? null
}
