import { UserError } from "../../../base/errors.ts"
import type { AgentSession } from "../../../storage/journal.ts"
import { sql, sqlRows } from "../../../storage/sql.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import type { Memory } from "../memory.ts"
import { agentFloor } from "./agents.ts"

/** Counting what goes out of sight: the one home of every loss limit. */

type Image = Pick<Memory, "id" | "status" | "content" | "confidence">

/** Whether a change takes something away: it is no longer found, no longer says what it said, or is hardly believed. */
export function isLoss(before: Image | null, after: Image | null): boolean {
  if (before === null || before.status !== "active") return false
  if (after === null || after.status !== "active" || after.content !== before.content) return true
  return after.confidence <= agentFloor && after.confidence < before.confidence
}

/** How many memories are no longer found after an act, of those it left behind. */
export function countGone(memories: readonly Pick<Memory, "status">[]): number {
  return memories.filter(({ status }) => status !== "active").length
}

/** How many memories one cycle may take out of sight, and has: the garden and the tools count here together. */
export interface Losses {
  readonly limit: number
  lost: number
}

/** Begins to count. */
export function countLosses(limit: number): Losses {
  return { limit, lost: 0 }
}

/** How many more may go. */
export function lossesLeft({ limit, lost }: Losses): number {
  return Math.max(0, limit - lost)
}

const hourMs = 3_600_000
const keptMs = 30 * 24 * hourMs
/** All agents of an installation together may take away so many times what one session may, in one hour. */
const sessionsPerHour = 2

/**
 * Notes what an agent's session takes out of sight, and refuses what is more than it may: in its whole session, or all
 * agents of the installation within an hour, so that connecting anew gives no new room.
 */
export async function spendLosses(
  transaction: Transaction,
  { session, install, lossLimit }: AgentSession,
  lost: readonly string[],
  { at, operation }: { at: number; operation: string },
): Promise<void> {
  if (lost.length === 0) return
  await transaction.run(sql`delete from agent_losses where at < ${at - keptMs}`)
  const [row] = await transaction.read<{ own: number; lately: number }>(sql`
    select coalesce(sum(case when session = ${session} then 1 else 0 end), 0) as own,
      coalesce(sum(case when at > ${at - hourMs} then 1 else 0 end), 0) as lately
    from agent_losses where install = ${install}`)
  const { own = 0, lately = 0 } = row ?? {}
  const advice = `memory.losses_per_session is ${lossLimit}; the person can do it with \`reverie memory forget\`.`
  if (Number(own) + lost.length > lossLimit)
    throw new UserError(
      "refused",
      `Not done: this session may put no more memories aside (${own} went already); ${advice}`,
    )
  if (Number(lately) + lost.length > sessionsPerHour * lossLimit)
    throw new UserError(
      "refused",
      `Not done: agents may put no more memories aside in this hour (${lately} went already); ${advice}`,
    )
  const rows = lost.map((memory) => [install, session, operation, memory, at])
  await transaction.run(
    sql`insert into agent_losses (install, session, operation, memory, at) values ${sqlRows(rows)}`,
  )
}
