import type { Job } from "../llm/choice/catalog.ts"
import type { HeldBack, Models } from "../llm/choice/models.ts"
import { poolOf } from "../llm/limits/pools.ts"
import type { InstallCore } from "../storage/core.ts"
import { holdsOnCall } from "./budget/decide.ts"
import { budgetStatus } from "./budget-status.ts"

/** The jobs whose calls are made one by one, beside the cycles that the budget plans. */
const budgeted: readonly Job[] = ["judge", "extraction"]

/**
 * The budget's word on single calls: judge and extraction draw on the same allowance as cycles and leave the user the
 * same share of it. A server of the user's own costs nothing, so nothing holds it back.
 */
export function createCallBudget(needs: InstallCore): HeldBack {
  return async (job, { access, model }, cause) => {
    const pool = poolOf(access)
    if (cause === "test" || pool === "local" || !budgeted.includes(job)) return undefined
    const { decision } = await budgetStatus(needs, pool, model)
    const [hold] = holdsOnCall(decision, cause === "asked")
    return hold?.reason
  }
}

/**
 * The budget's word on a thought of its own in a chat channel: nobody waits for it, so it leaves the user the same share
 * that cycles do. Also says why no model can be asked at all.
 */
export async function thoughtHeldBack(
  needs: InstallCore & { models: Pick<Models, "choose"> },
): Promise<string | undefined> {
  const { chosen, why } = await needs.models.choose("chat")
  if (chosen === null) return why
  const pool = poolOf(chosen.access)
  if (pool === "local") return undefined
  const { decision } = await budgetStatus(needs, pool, chosen.model)
  return holdsOnCall(decision, false)[0]?.reason
}
