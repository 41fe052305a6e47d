import { UserError } from "../../../base/errors.ts"
import type { AgentSession } from "../../../storage/journal.ts"
import { sql, sqlRows } from "../../../storage/sql.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import type { Memory } from "../memory.ts"
import { agentFloor } from "./agents.ts"

type Image = Pick<Memory, "id" | "status" | "content" | "confidence">

/** Whether a change hides or rewords an active memory, or lowers its confidence to the agents' minimum or less. */
export function isLoss(before: Image | null, after: Image | null): boolean {
  if (before === null || before.status !== "active") return false
  if (after === null || after.status !== "active" || after.content !== before.content) return true
  return after.confidence <= agentFloor && after.confidence < before.confidence
}

/** How many of these memories search no longer finds. */
export function countInactive(memories: readonly Pick<Memory, "status">[]): number {
  return memories.filter(({ status }) => status !== "active").length
}

/** How many losses one cycle may cause and has caused; the garden and the tools share one budget. */
export interface LossBudget {
  readonly limit: number
  lost: number
}

export function createLossBudget(limit: number): LossBudget {
  return { limit, lost: 0 }
}

/** How many more losses are allowed. */
export function lossesLeft({ limit, lost }: LossBudget): number {
  return Math.max(0, limit - lost)
}

const hourMs = 3_600_000
const retentionMs = 30 * 24 * hourMs
/** All agents of an installation together may cause this many sessions' worth of losses per hour. */
const hourlySessions = 2

/**
 * Records the losses an agent's session causes, and throws where they exceed its limit, or the hourly limit of all agents
 * of the installation: reconnecting gives no new budget.
 */
export async function recordLosses(
  transaction: Transaction,
  { session, install, lossLimit }: AgentSession,
  lost: readonly string[],
  { at, operation }: { at: number; operation: string },
): Promise<void> {
  if (lost.length === 0) return
  await transaction.run(sql`delete from agent_losses where at < ${at - retentionMs}`)
  const [row] = await transaction.read<{ own: number; recent: number }>(sql`
    select coalesce(sum(case when session = ${session} then 1 else 0 end), 0) as own,
      coalesce(sum(case when at > ${at - hourMs} then 1 else 0 end), 0) as recent
    from agent_losses where install = ${install}`)
  const { own = 0, recent = 0 } = row ?? {}
  const refuse = (reason: string, most: number, used: number) => {
    const limit = `${used} of ${most} are used; memory.losses_per_session is ${lossLimit}`
    const advice = "The user can do it with `reverie memory forget`."
    throw new UserError("refused", `Not done: ${reason} (${limit}). ${advice}`)
  }
  if (Number(own) + lost.length > lossLimit) refuse("this session may hide no more memories", lossLimit, own)
  const hourlyLimit = hourlySessions * lossLimit
  if (Number(recent) + lost.length > hourlyLimit)
    refuse("agents may hide no more memories in this hour", hourlyLimit, recent)
  const rows = lost.map((memory) => [install, session, operation, memory, at])
  await transaction.run(
    sql`insert into agent_losses (install, session, operation, memory, at) values ${sqlRows(rows)}`,
  )
}
