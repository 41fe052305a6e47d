import type { Job } from "../llm/choice/catalog.ts"
import type { BudgetCheck, Models } from "../llm/choice/models.ts"
import { poolOf } from "../llm/limits/pools.ts"
import type { InstallCore } from "../storage/core.ts"
import { holdsOnCall } from "./budget/decide.ts"
import { budgetStatus } from "./budget-status.ts"

/** The jobs with single calls, outside of cycles. */
const budgeted: readonly Job[] = ["judge", "extraction"]

/**
 * Checks the budget before single calls: judge and extraction use the same pool as cycles, and leave the user the same
 * share of it. The user's own server has no limits.
 */
export function createCallBudget(needs: InstallCore): BudgetCheck {
  return async (job, { access, model }, cause) => {
    const pool = poolOf(access)
    if (cause === "test" || pool === "local" || !budgeted.includes(job)) return undefined
    const { decision } = await budgetStatus(needs, pool, model)
    const [hold] = holdsOnCall(decision, cause === "asked")
    return hold?.reason
  }
}

/**
 * Why the budget forbids an unprompted thought in a chat channel, or why no model can be asked; undefined if it is allowed.
 * Nobody waits for it, so it leaves the user the same share as cycles.
 */
export async function reasonNotToThink(
  needs: InstallCore & { models: Pick<Models, "choose"> },
): Promise<string | undefined> {
  const { chosen, why } = await needs.models.choose("chat")
  if (chosen === null) return why
  const pool = poolOf(chosen.access)
  if (pool === "local") return undefined
  const { decision } = await budgetStatus(needs, pool, chosen.model)
  return holdsOnCall(decision, false)[0]?.reason
}
